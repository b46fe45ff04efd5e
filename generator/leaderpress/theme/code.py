"""What templates compile to: plain Python where Jinja goes through helpers that only its other uses need.

`{% filter shared(value, …) %}…{% endfilter %}` marks what follows from the values named (and from the site and the
page's depth) alone: it is rendered once and kept, see `fragments`.
"""

from collections.abc import Callable, Iterable
from itertools import count

import markupsafe
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.idtracking import VAR_LOAD_RESOLVE

PLAIN_CALLS = frozenset({"asset", "base64", "foreign", "link", "plural", "pretty"})
"""Functions of templates that want no context."""

GIVEN = frozenset({"page", "site", "head", "root", "leaf", "path", "texts", "link", "section", "fragments"})
"""Variables that every page has."""
MARKUP_FILTERS = frozenset({"grouped", "json_script", "name"})
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
