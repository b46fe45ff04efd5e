"""Builders: from the index's rows to the views that pages show, one module for each page kind."""
