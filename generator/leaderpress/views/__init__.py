"""One file a page kind: the frozen values that pages show and that their JSON twins serialise."""
