"""Inheritance and includes dissolved at load, so that a page is one function without calls between templates.

Only what is simple is dissolved: literal template names, children that hold nothing but blocks, no `super()` and no
macros or imports.  Anything else keeps Jinja's own machinery; the output is the same either way, only slower.
"""

from types import CodeType
from typing import Any

from jinja2 import Environment, Template, nodes

from .code import FlatCode

_Blocks = dict[str, list[nodes.Node]]
Parsed = dict[str, nodes.Template]
"""Syntax trees by template."""


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
    """A syntax tree of one's own: that each is read but once spares a quarter of the time of compiling (measured)."""
    if name not in parsed:
        parsed[name] = _parse(environment, name)
    tree: nodes.Template = _copy(parsed[name])
    return tree


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
