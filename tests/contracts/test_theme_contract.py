"""Views and templates agree: every field of a view is shown, and no template asks for one that does not exist.

Both are proved on the templates' syntax trees, flattened as they are compiled, by following the types of the view
through loops, assignments and subscripts; so branches that no example takes are checked too.
"""

import dataclasses
import types
import typing
from collections.abc import Iterator

import pytest
from jinja2 import Environment, nodes

from leaderpress.theme import flatten
from leaderpress.theme.environment import open_theme
from leaderpress.views import base, edition, group, hardware, listing, project, run, source, subject, task

KINDS: dict[str, type] = {
    "home": listing.HomeView,
    "run": run.RunView,
    "group": group.GroupView,
    "task": task.TaskView,
    "subject": subject.SubjectView,
    "project": project.ProjectView,
    "hardware": hardware.HardwareView,
    "source": source.SourceView,
    "sources": listing.SourcesView,
    "index": listing.IndexView,
    "records": listing.RecordsView,
    "changes": listing.ChangesView,
    "edition": edition.EditionView,
    "editions": edition.EditionsView,
    "prose": listing.ProseView,
    "404": listing.NotFoundView,
}

_IN_HEAD = "said by the head of the page, which is built beside the view"
_IN_HEADING = "the heading shows its parts, each linked or set on its own"
_IN_SENTENCE = "`standing_say` and `label` say it in words"
_SAID_BY_IMPRINT = ("licence", "licence_url", "basis", "attribution", "illustrative")
_IN_ADDRESS = "it is the last part of the page's address"
TWIN_ONLY: dict[tuple[str, str], str] = {
    # (class, field): why the page does not show it; the JSON twin does.
    **{(view.__name__, "description"): _IN_HEAD for view in KINDS.values()},
    **{(view, "title"): _IN_HEADING for view in
       ("RunView", "GroupView", "TaskView", "SubjectView", "ProjectView", "HardwareView", "SourceView")},
    **{(view, "slug"): _IN_ADDRESS for view in ("TaskView", "HardwareView", "SourceView", "ProseView")},
    **{("Standing", field): _IN_SENTENCE for field in ("rank", "better", "worse")},
}  # fmt: skip
NOT_DRAWN: dict[str, frozenset[tuple[str, str]]] = {
    # Page kind: fields that it leaves to others; what only they lead to is not asked for there either.
    "project": frozenset({("GroupRow", "staircase")}),  # its tables have no room for a plot
    "hardware": frozenset({("GroupRow", "staircase")}),
    # its own items say the terms, its heading the name
    "source": frozenset(
        ("SourceLine", field.name) for field in dataclasses.fields(base.SourceLine) if field.name != "illustrative"
    ),
    "run": frozenset(  # the items of `imprint` say all of these
        {("RunView", "published_on"), *(("SourceLine", name) for name in _SAID_BY_IMPRINT)}
    ),
}

Type = object
"""A resolved annotation, or None where the type is not known (results of filters and functions)."""


class Reader:
    """Follows one template and notes every (class, field) that it reads."""

    def __init__(self, view: type) -> None:
        self.read: set[tuple[str, str]] = set()
        self.wrong: list[str] = []
        site = {"site": base.SiteView, "head": base.Head, "section": base.Link | None}
        self.scope: dict[str, Type] = {"page": view, "texts": tuple[str, ...], **site}

    def visit(self, node: nodes.Node) -> None:
        """Read a statement, with the names that it binds."""
        if isinstance(node, nodes.For):
            outer = dict(self.scope)
            self.bind(node.target, self.member(self.type_of(node.iter)))
            for part in (*([node.test] if node.test else []), *node.body, *node.else_):
                self.visit(part)
            self.scope = outer
        elif isinstance(node, nodes.With):
            outer = dict(self.scope)
            for target, value in zip(node.targets, node.values, strict=True):
                self.bind(target, self.type_of(value))
            for part in node.body:
                self.visit(part)
            self.scope = outer
        elif isinstance(node, nodes.Assign):
            self.bind(node.target, self.type_of(node.node))
        elif isinstance(node, nodes.Expr):
            self.type_of(node)
        else:
            for part in node.iter_child_nodes():
                self.visit(part)

    def type_of(self, node: nodes.Node) -> Type:
        """The type of an expression; its parts are read on the way."""
        if isinstance(node, nodes.Name):
            return self.scope.get(node.name)
        if isinstance(node, nodes.Getattr):
            return self.field(self.type_of(node.node), node.attr, node.lineno)
        if isinstance(node, nodes.Getitem):
            self.visit(node.arg)
            return self.item(self.type_of(node.node), node.arg)
        if isinstance(node, nodes.Filter) and node.name in ("reverse", "sort") and node.node:
            return self.type_of(node.node)
        if isinstance(node, nodes.Filter) and node.name == "sum" and node.node:
            name = next(pair.value.value for pair in node.kwargs if pair.key == "attribute")
            return self.field(self.member(self.type_of(node.node)), name, node.lineno)
        if isinstance(node, nodes.CondExpr):
            self.type_of(node.test)
            chosen = self.type_of(node.expr1)
            return chosen or (self.type_of(node.expr2) if node.expr2 else None)
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr) and _is_plot(node.node):
            for argument in node.args:
                self.whole(self.type_of(argument))
            return None
        for part in node.iter_child_nodes():
            self.visit(part)
        return None

    def field(self, owner: Type, name: str, line: int) -> Type:
        """The type of a field; a class without it is an error of the template."""
        owner = _plain(owner)
        if not (isinstance(owner, type) and dataclasses.is_dataclass(owner)):
            return None
        hints = typing.get_type_hints(owner)
        if name not in hints:
            self.wrong.append(f"line {line}: {owner.__name__} has no {name}")
            return None
        self.read.add((owner.__name__, name))
        return hints[name]

    def whole(self, owner: Type) -> None:
        """A plot draws all of its view; `test_svg` proves that."""
        owner = _plain(owner)
        if isinstance(owner, type) and dataclasses.is_dataclass(owner):
            self.read |= {(owner.__name__, field.name) for field in dataclasses.fields(owner)}

    def member(self, owner: Type) -> Type:
        """What a loop over a tuple yields."""
        arguments = typing.get_args(_plain(owner))
        return arguments[0] if len(arguments) == 2 and arguments[1] is Ellipsis else None

    def item(self, owner: Type, index: nodes.Node) -> Type:
        if isinstance(index, nodes.Slice):
            return owner
        return self.member(owner) if isinstance(index, nodes.Const | nodes.Getattr) else None

    def bind(self, target: nodes.Node, value: Type) -> None:
        if isinstance(target, nodes.Name):
            self.scope[target.name] = value
        elif isinstance(target, nodes.Tuple):
            parts = typing.get_args(_plain(value)) or (None,) * len(target.items)
            if len(parts) != len(target.items):
                self.wrong.append(f"line {target.lineno}: {len(target.items)} names for {value}")
                parts = (None,) * len(target.items)
            for item, part in zip(target.items, parts, strict=True):
                self.bind(item, part)


def _is_plot(node: nodes.Getattr) -> bool:
    return isinstance(node.node, nodes.Name) and node.node.name == "svg"


def _plain(kind: Type) -> Type:
    """The type without `| None`."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        (kind,) = [part for part in typing.get_args(kind) if part is not types.NoneType]
    return kind


def _fields(kind: Type, skip: frozenset[tuple[str, str]], seen: set[type]) -> Iterator[tuple[str, str]]:
    """Every (class, field) that can be reached from a type, without what lies behind `skip`."""
    kind = _plain(kind)
    for argument in typing.get_args(kind):
        if argument is not Ellipsis:
            yield from _fields(argument, skip, seen)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind not in seen:
        seen.add(kind)
        for name, hint in typing.get_type_hints(kind).items():
            if (kind.__name__, name) not in skip:
                yield kind.__name__, name
                yield from _fields(hint, skip, seen)


def _read(kind: str, source: str = "") -> Reader:
    environment: Environment = open_theme()._environment
    reader = Reader(KINDS[kind])
    tree = environment.parse(source) if source else flatten.flatten(environment, f"{kind}.html", {})
    reader.visit(tree)
    return reader


def test_every_page_kind_is_a_template_and_every_template_a_page_kind() -> None:
    names = {name for name in open_theme()._environment.list_templates() if not name.startswith(("_", "!"))}
    assert names == {f"{kind}.html" for kind in KINDS} | {"base.html"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_template_asks_only_for_fields_that_exist(kind: str) -> None:
    assert _read(kind).wrong == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_of_a_view_is_shown_or_listed_as_for_the_twin_only(kind: str) -> None:
    reader = _read(kind)
    fields = set(_fields(KINDS[kind], NOT_DRAWN.get(kind, frozenset()), set()))
    assert sorted(fields - reader.read - TWIN_ONLY.keys()) == []


def test_nothing_is_listed_as_for_the_twin_only_that_does_not_exist() -> None:
    known = {field for view in KINDS.values() for field in _fields(view, frozenset(), set())}
    assert TWIN_ONLY.keys() | set().union(*NOT_DRAWN.values()) <= known


def test_the_site_and_the_head_are_shown_too() -> None:
    read = set().union(*(_read(kind).read for kind in KINDS))
    chrome = {
        (found.__name__, field.name) for found in (base.SiteView, base.Head) for field in dataclasses.fields(found)
    }
    unread = {name for _, name in chrome - read}
    # The build fills these in: links are made from them, or the home page's own view says them.
    assert unread == {"tagline", "description", "base_path", "report_url", "note_url"}


@pytest.mark.parametrize(
    "source",
    [
        "{{ page.absent }}",
        "{% for r in page.neighbours %}{{ r.absent }}{% endfor %}",
        "{% set d = page.documents[0] %}{{ d.absent }}",
        "{% for d in page.documents[:2] %}{{ d.absent }}{% endfor %}",
        "{% with w = page.workload %}{% for c in w.cases %}{{ c.absent }}{% endfor %}{% endwith %}",
        "{% for a, b, c in page.workload.tensors %}{% endfor %}",
        "{% if page.leader %}{{ page.leader.absent|name }}{% endif %}",
        "{{ page.documents|sum(attribute='absent') }}",
    ],
)
def test_the_reader_finds_a_field_that_does_not_exist(source: str) -> None:
    assert _read("run", source).wrong
