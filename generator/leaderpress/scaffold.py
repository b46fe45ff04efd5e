"""`leaderpress init`: the first files of a new site, valid as they stand.

Only folders that are missing or empty are filled, so nothing that exists is ever touched.  Empty content folders need
no placeholder: every reader takes a missing one for an empty one.
"""

import re
from pathlib import Path

from .errors import UsageError

FOLDERS = ("content/sources", "content/records", "content/notes", "content/overrides", "content/pages")
"""Folders of a new site, relative to it."""


def init(folder: Path) -> tuple[str, ...]:
    """Make `folder` a site; gives the paths of the files written, relative to it.

    Raises `UsageError` if the folder holds anything or cannot be written.
    """
    try:
        _refuse_used(folder)
        for name in FOLDERS:
            (folder / name).mkdir(parents=True, exist_ok=True)
        key = site_key(folder.resolve().name)
        files = {
            "content/site.toml": _SITE_TOML.format(title=key.replace("-", " ").capitalize(), key=key),
            "README.md": _README.format(title=key.replace("-", " ").capitalize()),
            ".gitignore": "/build/\n",
        }
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as fault:
        raise UsageError("init-unwritable", str(fault.strerror or fault), at=str(folder)) from None
    return tuple(files)


def site_key(name: str) -> str:
    """A citation key prefix made from a folder's name: `GPU Records!` → `gpu-records`, `site` if nothing is left."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-") or "site"


def _refuse_used(folder: Path) -> None:
    if folder.is_dir():
        used = next(folder.iterdir(), None)
        if used is not None:
            hint = "name a folder that does not exist yet, or an empty one"
            raise UsageError(
                "init-not-empty", f"the folder is not empty: it holds {used.name}", at=str(folder), hint=hint
            )
    elif folder.exists() or folder.is_symlink():
        raise UsageError("init-not-a-folder", "there is something of that name that is not a folder", at=str(folder))


_SITE_TOML = """\
# Settings of this site.  Everything that is commented out shows its default or an example.

title = "{title}"
# One line under the title, and one or two sentences for search engines and feeds.
tagline = ""
description = ""

# Who stands behind the site: the publisher in every citation.
publisher = "{title}"

# First part of every citation key.  Never change it once something was cited.
key = "{key}"

# Where permalinks are promised: an https address that you will still control in ten years, ending in "/".
# Without it citations give the digest and the path only, and feeds, sitemap and canonical links are left out.
# permalink_base = "https://records.example.org/"

# The path under which the host serves the site, if it differs from that of permalink_base.
# base_path = "/"

# theme = "default"
# language = "en"

# "directory" links to folders, as every web server likes it; "file" writes index.html out, for reading from a disk.
# links = "directory"

# The build fails when the site is larger than its host takes:
# "none", "github-pages", "gitlab-pages", "cloudflare-pages" or "cloudflare-pages-paid".
# host = "none"

# contact = "mailto:records@example.org"

# Links on every record; {{digest}} and {{permalink}} are filled in, percent-encoded.
# report_url = "https://github.com/example/records/issues/new?title={{digest}}&body={{permalink}}"
# note_url = "https://github.com/example/records/new/main/content/notes?value={{digest}}"

# What is written: per page kind, and for the runs of one source.  true, false or a list of formats.  Links to what is
# not written go: to the canonical object for a run or implementation, else to nowhere.  Published pages of runs and
# implementations cannot be switched off any more, their JSON can.
# [outputs]
# hardware = false
# run = ["html", "json"]
#
# [outputs.sources]
# some-source = ["json"]
"""

_README = """\
# {title}

A site of leaderboard records, made with leaderpress.

```sh
leaderpress ingest SOURCE PATH…   # turn a dump into records below content/records/
leaderpress seal                  # commit new notes to the publication log
leaderpress build                 # write the site to build/site/
leaderpress check                 # look for broken links and digests in it
leaderpress check --against FILE  # and for anything published that would be lost
leaderpress verify                # prove that site and records are what was published
leaderpress edition TAG           # freeze all rankings as they stand
leaderpress redact DIGEST         # remove what the law does not let stand
```

Keep the `inventory.json` of what was deployed last, and deploy only after `leaderpress check --against` it.

| folder | what it holds | who writes it |
|---|---|---|
| `content/site.toml` | settings | you |
| `content/sources/` | one table a source: name, licence, metrics | the first ingest, then you |
| `content/records/` | the records, one folder an ingest | `leaderpress ingest`; never edit them |
| `content/notes/` | corrections, withdrawals, disputes, attestations | you, one file each |
| `content/overrides/` | what you say beside a source, e.g. `projects/some-team.toml` with `homepage = "…"` | you |
| `content/pages/` | written pages in Markdown | you |
| `themes/` | your own theme, if any | you |
| `build/` | what is published, and a cache; can be deleted | `leaderpress build` |

A note is one file of TOML between two `+++` lines, then Markdown:

```text
+++
kind = "withdrawal"
target = "sha256:<64 digits of the run>"
who = "Records desk"
when = 2026-08-04
why = "The kernel returned a cached result."
+++

What else there is to say, or nothing.
```

| kind | further fields |
|---|---|
| `correction` | `successor`: the digest of the run that takes the place of the target |
| `withdrawal`, `dispute` | |
| `attestation` | `type`; optional `value` with `unit`, `statistic`; `environment` |
| `redaction` | written by `leaderpress redact` |

The `type` is `reproduction`, `partial-reproduction`, `non-reproduction` or `comment`. `evidence`, an address, is
optional in each. Once `seal` or an ingest has put a note into the log, it is never edited.

Keep everything but `build/` under version control: a published record is promised for ever.
"""
