"""Inheritance and includes dissolved at load, so that a page is one function without calls between templates.

Only what is simple is dissolved: literal template names, children that hold nothing but blocks, no `super()` and no
macros or imports.  Anything else keeps Jinja's own machinery; the output is the same either way, only slower.
"""

from collections.abc import Callable
from types import CodeType

import markupsafe
from jinja2 import Environment, Template, nodes
from jinja2.compiler import CodeGenerator, Frame

PLAIN_CALLS = frozenset({"asset", "data_uri", "foreign", "link", "plural", "pretty"})
"""Functions of templates that want no context."""

_Blocks = dict[str, list[nodes.Node]]
# What `escape` calls once it knows that it was given a plain string; a version without it costs time only.
_inner: Callable[[str], str] = getattr(markupsafe, "_escape_inner", markupsafe.escape)


def text(value: object) -> str:
    """What `{{ value }}` writes: `Markup` as it is, everything else escaped."""
    kind = type(value)
    if kind is str:
        return _inner(value)  # type: ignore[arg-type]
    return value if kind is markupsafe.Markup else markupsafe.escape(value)  # type: ignore[return-value]


class LeanCode(CodeGenerator):
    """Compiles to plain Python where Jinja goes through helpers that only its other uses need.

    `page.title` is an attribute access (views are objects, never mappings), a function that wants no context is
    called directly, and `{{ … }}` escapes by `environment.text`, which does not wrap its result.
    """

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 (Jinja's name)
        """Write the module, and last the name that its functions escape by."""
        super().visit_Template(node, frame)
        self.writeline("text = environment.text")

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

    def _is_plain(self, callee: nodes.Expr) -> bool:
        if isinstance(callee, nodes.Getattr):
            return True
        if not isinstance(callee, nodes.Name):
            return False
        return callee.name in PLAIN_CALLS

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: object) -> None:
        self.write("text(")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: object) -> None:
        self.write(")")


class _Unflattenable(Exception):
    pass


def load(environment: Environment, name: str, codes: dict[str, CodeType]) -> Template:
    """The template `name`, flat where that is possible; `codes` holds what was compiled before, and learns."""
    if name not in codes:
        try:
            tree = flatten(environment, name)
        except _Unflattenable:
            return environment.get_template(name)
        codes[name] = environment.compile(tree, name, name)
    return Template.from_code(environment, codes[name], environment.make_globals(None))


def flatten(environment: Environment, name: str) -> nodes.Template:
    """One syntax tree without `extends`, `block` and `include`."""
    tree = _parse(environment, name)
    blocks: _Blocks = {}
    while (parent := _parent(tree)) is not None:
        for block in tree.find_all(nodes.Block):
            blocks.setdefault(block.name, block.body)
        tree = _parse(environment, parent)
    tree.body = _dissolve(environment, tree.body, blocks)
    return tree


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


def _dissolve(environment: Environment, body: list[nodes.Node], blocks: _Blocks) -> list[nodes.Node]:
    return [_dissolve_node(environment, node, blocks) for node in body]


def _dissolve_node(environment: Environment, node: nodes.Node, blocks: _Blocks) -> nodes.Node:
    if isinstance(node, nodes.Block):
        inner = blocks.get(node.name, node.body)
        return _scope(environment, node, _dissolve(environment, inner, blocks))
    if isinstance(node, nodes.Include):
        if not isinstance(node.template, nodes.Const) or node.ignore_missing or not node.with_context:
            raise _Unflattenable
        included = flatten(environment, str(node.template.value))
        return _scope(environment, node, included.body)
    for field in ("body", "else_", "elif_"):
        if isinstance(getattr(node, field, None), list):
            setattr(node, field, _dissolve(environment, getattr(node, field), blocks))
    return node


def _scope(environment: Environment, at: nodes.Node, body: list[nodes.Node]) -> nodes.Node:
    scope = nodes.Scope(body, lineno=at.lineno)
    scope.set_environment(environment)
    return scope
