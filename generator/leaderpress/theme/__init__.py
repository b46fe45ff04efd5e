"""The look: themes are looked up, templates chained and rendered, plots drawn and Markdown turned into HTML.

A template sees one frozen view and the site's chrome; nothing here reads records, the clock or the network.
"""
