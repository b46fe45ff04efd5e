"""Inheritance and includes dissolved at load, so that a page is one function without calls between templates.

Only what is simple is dissolved: literal template names, children that hold nothing but blocks, no `super()` and no
macros or imports.  Anything else keeps Jinja's own machinery; the output is the same either way, only slower.

`{% filter shared(value, …) %}…{% endfilter %}` marks what follows from the values named (and from the site and the
page's depth) alone: it is rendered once and kept, see `fragments`.
"""

from collections.abc import Callable, Iterable
from itertools import count
from types import CodeType
from typing import Any

import markupsafe
from jinja2 import Environment, Template, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.idtracking import VAR_LOAD_RESOLVE

PLAIN_CALLS = frozenset({"asset", "base64", "foreign", "link", "plural", "pretty"})
"""Functions of templates that want no context."""

GIVEN = frozenset({"page", "site", "head", "root", "leaf", "path", "texts", "link", "section", "fragments"})
"""Variables that every page has."""
MARKUP_FILTERS = frozenset({"grouped", "json_script", "name"})

_Blocks = dict[str, list[nodes.Node]]
Parsed = dict[str, nodes.Template]
"""Syntax trees by template."""
# What `escape` calls once it knows that it was given a plain string; a version without it costs time only.
inner: Callable[[str], str] = getattr(markupsafe, "_escape_inner", markupsafe.escape)


def text(value: object) -> str:
    """What `{{ value }}` writes: `Markup` as it is, everything else escaped."""
    kind = type(value)
    if kind is str:
        return inner(value)  # type: ignore[arg-type]
    return value if kind is markupsafe.Markup else markupsafe.escape(value)  # type: ignore[return-value]


class LeanCode(CodeGenerator):
    """Compiles to plain Python where Jinja goes through helpers that only its other uses need.

    `page.title` is an attribute access (views are objects, never mappings), a function that wants no context is
    called directly, and `{{ … }}` escapes by `inner` and `text`, which do not wrap their result.
    """

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 (Jinja's name)
        """Write the module, and last the names that its functions call."""
        self._places = count()
        super().visit_Template(node, frame)
        for function in ("text", "inner", "identity"):
            self.writeline(f"{function} = environment.{function}")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        """Write `(<node>).<attribute>`."""
        self.write("(")
        self.visit(node.node, frame)
        self.write(f").{node.attr}")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        """Write `<function>(<arguments>)` if the function is known to want no context."""
        if forward_caller or not self._is_plain(node.node):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        # Jinja writes a comma before every argument, because the function came first.
        self.write("*() ")
        self.signature(node, frame)
        self.write(")")

    def visit_FilterBlock(self, node: nodes.FilterBlock, frame: Frame) -> None:  # noqa: N802
        """Write a block that is looked up before it is rendered, if its filter is `shared`."""
        if node.filter.name != "shared" or node.filter.node is not None:
            super().visit_FilterBlock(node, frame)
            return
        store, key, kept = (self.temporary_identifier() for _ in range(3))
        self.writeline(f"{store} = context.resolve_or_missing('fragments')", node)
        # The same block compiled another way gives bytes instead of text.
        place = f"{type(self).__name__} {self.name}:{next(self._places)}"
        self.writeline(f"{key} = ({place!r}, ")
        self._write_each(node.filter.args, frame, "identity(", "), ")
        self.write(")")
        self.writeline(f"{kept} = {store}.get({key})")
        self.writeline(f"if {kept} is None:")
        self.indent()
        inner = frame.inner()
        inner.symbols.analyze_node(node)
        self.enter_frame(inner)
        self._open_shared(inner, frame)
        self.blockvisit(node.body, inner)
        self.writeline(f"{kept} = {store}.keep({key}, {self._joined(inner)}, ")
        self._write_each(node.filter.args, frame, "", ", ")
        self.write(")")
        self.leave_frame(inner)
        self.outdent()
        self._write_piece(kept, frame)

    def _open_shared(self, inner: Frame, outer: Frame) -> None:
        self.buffer(inner)

    def _joined(self, frame: Frame) -> str:
        return f"''.join({frame.buffer})"

    def _write_piece(self, name: str, frame: Frame) -> None:
        self.simple_write(name, frame)

    def _write_each(self, values: list[nodes.Expr], frame: Frame, before: str, after: str) -> None:
        for value in values:
            self.write(before)
            self.visit(value, frame)
            self.write(after)

    def _is_plain(self, callee: nodes.Expr) -> bool:
        if isinstance(callee, nodes.Getattr):
            return True
        if not isinstance(callee, nodes.Name):
            return False
        return callee.name in PLAIN_CALLS

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: object) -> None:
        # Most values are plain strings, which need no call in between.
        self.write("(" if _is_markup(node) else "(inner(_value) if type(_value := (")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: object) -> None:
        self.write(")" if _is_markup(node) else ")) is str else text(_value))")


class FlatCode(LeanCode):
    """Compiles a flat template: one list takes up its pieces as UTF-8, and what every page is given needs no test.

    Most of a page is constant or kept, so that only its small changing pieces are ever encoded.
    """

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802
        """Write the module."""
        self._encoded: set[str | None] = set()
        super().visit_Template(node, frame)

    def enter_frame(self, frame: Frame) -> None:
        """Write the start of a scope; the outermost one opens the list."""
        super().enter_frame(frame)
        if frame.parent is None:
            self.buffer(frame)
            self._encoded.add(frame.buffer)

    def leave_frame(self, frame: Frame, with_python_scope: bool = False) -> None:
        """Write the end of a scope."""
        super().leave_frame(frame, with_python_scope)
        if frame.parent is None:
            self.writeline(f"yield {self._joined(frame)}")

    def start_write(self, frame: Frame, node: nodes.Node | None = None) -> None:
        """Write the start of a piece."""
        super().start_write(frame, node)
        if frame.buffer in self._encoded:
            self.write("(")

    def end_write(self, frame: Frame) -> None:
        """Write the end of a piece."""
        if frame.buffer in self._encoded:
            self.write(").encode()")
        super().end_write(frame)

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:  # noqa: N802
        """Write text and `{{ … }}`."""
        self._encodes = frame.buffer in self._encoded
        super().visit_Output(node, frame)

    def _output_const_repr(self, group: Iterable[str]) -> str:
        text = "".join(group)
        return repr(text.encode() if self._encodes else text)

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: object) -> None:
        super()._output_child_post(node, frame, finalize)
        if self._encodes:
            self.write(".encode()")

    def _open_shared(self, inner: Frame, outer: Frame) -> None:
        super()._open_shared(inner, outer)
        if outer.buffer in self._encoded:
            self._encoded.add(inner.buffer)

    def _joined(self, frame: Frame) -> str:
        return f"b''.join({frame.buffer})" if frame.buffer in self._encoded else super()._joined(frame)

    def _write_piece(self, name: str, frame: Frame) -> None:
        self.writeline(f"{frame.buffer}.append({name})")

    def visit_Name(self, node: nodes.Name, frame: Frame) -> None:  # noqa: N802
        """Write a variable."""
        reference = frame.symbols.ref(node.name)
        given = node.name in GIVEN or node.name in self.environment.globals
        if given and node.ctx == "load" and frame.symbols.find_load(reference) == (VAR_LOAD_RESOLVE, node.name):
            self.write(reference)
        else:
            super().visit_Name(node, frame)


def _is_markup(node: nodes.Expr) -> bool:
    """Whether a value is `Markup` whatever it is made from."""
    if isinstance(node, nodes.Filter):
        return node.name in MARKUP_FILTERS
    if not isinstance(node, nodes.Call):
        return False
    callee = node.node.node if isinstance(node.node, nodes.Getattr) else node.node
    return isinstance(callee, nodes.Name) and callee.name in ("base64", "svg", "pretty")


class _Unflattenable(Exception):
    pass


def load(environment: Environment, name: str, codes: dict[str, CodeType], parsed: Parsed) -> Template:
    """The template `name`, flat where that is possible.

    `codes` holds what was compiled before, `parsed` what was read before; both learn.
    """
    if name not in codes:
        try:
            tree = flatten(environment, name, parsed)
        except _Unflattenable:
            return environment.get_template(name)
        compiling = environment.overlay()
        compiling.code_generator_class = FlatCode
        codes[name] = compiling.compile(tree, name, name)
    return Template.from_code(environment, codes[name], environment.make_globals(None))


def flatten(environment: Environment, name: str, parsed: Parsed) -> nodes.Template:
    """One syntax tree without `extends`, `block` and `include`."""
    tree = _parsed(environment, name, parsed)
    blocks: _Blocks = {}
    while (parent := _parent(tree)) is not None:
        for block in tree.find_all(nodes.Block):
            blocks.setdefault(block.name, block.body)
        tree = _parsed(environment, parent, parsed)
    tree.body = _dissolve(environment, tree.body, blocks, parsed)
    return tree


def _parsed(environment: Environment, name: str, parsed: Parsed) -> nodes.Template:
    """A syntax tree of one's own: to copy one takes a fifth of the time of reading the template again."""
    if name not in parsed:
        parsed[name] = _parse(environment, name)
    return _copy(parsed[name])


def _copy(value: Any) -> Any:
    if isinstance(value, nodes.Node):
        copied = object.__new__(type(value))
        copied.__dict__.update([(name, _copy(member)) for name, member in value.__dict__.items()])
        return copied
    return [_copy(member) for member in value] if type(value) is list else value


def _parse(environment: Environment, name: str) -> nodes.Template:
    if environment.loader is None:
        raise _Unflattenable
    source, filename, _ = environment.loader.get_source(environment, name)
    tree = environment.parse(source, name, filename)
    if any(tree.find_all((nodes.Import, nodes.FromImport, nodes.Macro, nodes.CallBlock))):
        raise _Unflattenable
    if any(isinstance(call.node, nodes.Name) and call.node.name == "super" for call in tree.find_all(nodes.Call)):
        raise _Unflattenable
    return tree


def _parent(tree: nodes.Template) -> str | None:
    extends = tree.find(nodes.Extends)
    if extends is None:
        return None
    if not isinstance(extends.template, nodes.Const) or not all(_is_silent(node) for node in tree.body):
        raise _Unflattenable
    return str(extends.template.value)


def _is_silent(node: nodes.Node) -> bool:
    """True for what a child template may hold outside its blocks without an effect."""
    if isinstance(node, nodes.Output):
        return all(isinstance(part, nodes.TemplateData) for part in node.nodes)
    return isinstance(node, nodes.Extends | nodes.Block)


def _dissolve(environment: Environment, body: list[nodes.Node], blocks: _Blocks, parsed: Parsed) -> list[nodes.Node]:
    return [_dissolve_node(environment, node, blocks, parsed) for node in body]


def _dissolve_node(environment: Environment, node: nodes.Node, blocks: _Blocks, parsed: Parsed) -> nodes.Node:
    if isinstance(node, nodes.Block):
        inner = blocks.get(node.name, node.body)
        return _scope(environment, node, _dissolve(environment, inner, blocks, parsed))
    if isinstance(node, nodes.Include):
        if not isinstance(node.template, nodes.Const) or node.ignore_missing or not node.with_context:
            raise _Unflattenable
        included = flatten(environment, str(node.template.value), parsed)
        return _scope(environment, node, included.body)
    for field in ("body", "else_", "elif_"):
        if isinstance(getattr(node, field, None), list):
            setattr(node, field, _dissolve(environment, getattr(node, field), blocks, parsed))
    return node


def _scope(environment: Environment, at: nodes.Node, body: list[nodes.Node]) -> nodes.Node:
    scope = nodes.Scope(body, lineno=at.lineno)
    scope.set_environment(environment)
    return scope
