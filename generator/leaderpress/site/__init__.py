"""From views to published files: planning, rendering and writing a site."""
