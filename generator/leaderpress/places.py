"""Folders of a site that are made and may be thrown away, relative to it."""

OUTPUT = "build/site"
"""What is published, where `build` is not told otherwise."""
CACHE = "build/cache"
"""What spares a build time; it can be missing or damaged, never wrong."""
