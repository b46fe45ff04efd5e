"""leaderpress: published leaderboard records as permanent, citable, checkable web pages."""

__version__ = "0.1.0"
