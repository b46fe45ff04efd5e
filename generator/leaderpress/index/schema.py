"""The tables of the disposable index.  Values keep SQLite's own types, so that 530092 stays an integer.

Every document of an identity is a `version` of it, in the order of publication; `document` shows one of each, with the
number of the first folder that holds the identity.  What is read by digest alone lies in the order of digests.  Runs
lie in the order of their groups, which is the order in which pages are made; what is added later comes last.
"""

RUN_STATED = (
    *("digest", "grp", "siblings", "source", "external_id", "upstream_key", "subject", "project", "task", "workload"),
    *("protocol", "environment", "status", "metric", "statistic", "unit", "value", "evidence", "native"),
    *("observed_at", "published_on", "upstream_published_at", "folder", "name", "revision", "project_name"),
    *("project_slug", "metrics"),
)
"""Columns of a run that follow from documents and statements about them."""
STANDING = ("reasons", "rank", "tied", "better", "place", "superseded_by")
"""Columns of a run that follow from the runs of its group and from notes."""
UNPLACED = ("[]", 0, 0, 0, 0, "")
"""The standing of a run that is not ranked yet."""

TABLES = """
create table meta (name text primary key, value text) without rowid;
create table total (name text primary key, number integer) without rowid;
create table folder (number integer primary key, name text, source text, published_on text, snapshot text);
create table file (number integer primary key, path text);
create table version (
  place integer primary key, digest text, kind text, document_digest text, file integer, offset integer,
  length integer, identity_bytes integer, folder integer, first integer, shown integer);
create view document as
  select digest, kind, document_digest, file, offset, length, identity_bytes, first as folder from version where shown;
create table statement (
  digest text, source text, folder integer, external_id text, upstream_key text, project text, name text,
  tags text,
  aliases text, artifacts text, upstream_published_at text, keyed integer,
  primary key (digest, source)) without rowid;
create table source (slug text primary key) without rowid;
create table tombstone (digest text primary key) without rowid;
create table slug (digest text primary key, slug text) without rowid;
create table renaming (
  folder integer, digest text, before text, after text, primary key (folder, digest)) without rowid;
create table fact (about text, source text, name text, value text, folder integer);
create index fact_about on fact (about);
create table task (
  digest text primary key, slug text, raw text, name text, family text, source text, description text, tags text,
  aliases text, constants text) without rowid;
create table project (digest text primary key, slug text, name text, source text) without rowid;
create table workload (
  digest text primary key, kind text, task text, correctness text, summary text, cases integer) without rowid;
create table environment (
  digest text primary key, product text, slug text, vendor text, architecture text, note text,
  title text) without rowid;
create table protocol (digest text primary key, harness text, version text, title text) without rowid;
create table subject (
  digest text primary key, task text, project text, name text, revision text, title text, source text, runs integer,
  has_page integer, artifacts text, has_code integer, has_facts integer) without rowid;
create table run (
  digest text, grp text, siblings text, source text, external_id text, upstream_key text, subject text,
  project text, task text, workload text, protocol text, environment text, status text, metric text, statistic text,
  unit text, value, evidence text, native integer, observed_at text, published_on text, upstream_published_at text,
  folder integer, name text, revision text, project_name text, project_slug text, metrics text, reasons text,
  rank integer, tied integer, better integer, place integer, superseded_by text);
create table grp (
  key text primary key, siblings text, task text, workload text, protocol text, environment text,
  metric_key text, metric text, statistic text, unit text, direction text, native integer, ranked integer,
  ranks integer, members integer, ranking text) without rowid;
create table event (
  grp text, position integer, digest text, observed_at text, value, previous, stands integer,
  primary key (grp, position)) without rowid;
"""

PASSING = """
create temp table arrival (grp text, digest text, row blob);
create temp table again (digest text primary key) without rowid;
create temp table recount (digest text primary key) without rowid;
create temp table keyed (source text, upstream_key text, primary key (source, upstream_key)) without rowid;
"""
"""Runs that wait for their place; documents to describe anew; implementations whose runs to count; keys of runs that
were stated."""

IDENTITIES = "create index version_identity on version (digest, shown)"
"""Made once a second folder is added, or all documents are there."""

KEYS = """
create index statement_key on statement (source, upstream_key) where upstream_key is not null;
"""
"""What ranking needs, made once the statements are there."""

# Three of them hold all that pages count over many runs: rows of `run` are long.
INDEXES = """
create unique index run_digest on run (digest);
create index run_group on run (grp, place);
create index run_failed on run (siblings) where metric = '';
create index run_task on run (task, project);
create index run_project on run (project, rank, grp, observed_at);
create index run_subject on run (subject);
create index run_environment on run (environment, task, project, source);
create index run_source on run (source);
create index run_folder on run (folder);
create index subject_project on subject (project);
create index task_slug on task (slug);
create index task_raw on task (raw, source);
create index project_slug on project (slug);
create index grp_task on grp (task);
create index grp_environment on grp (environment);
create index grp_siblings on grp (siblings);
create index event_observed on event (observed_at, digest);
create index run_superseded on run (superseded_by) where superseded_by != '';
create index event_digest on event (digest);
create index workload_task on workload (task);
"""
"""Made once the rows are there, which is several times as fast as keeping them up meanwhile."""
