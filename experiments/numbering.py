"""Numbers in the place of the names of locals, so that code with a renamed local is still the same code."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterable, Iterator, Sequence

NAMING: dict[type[ast.AST], str] = {  # nodes that give or say a name, and the field that holds it
    ast.Name: "id",
    ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name",
    ast.ClassDef: "name",
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
}


FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def in_scope(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """These nodes and those inside that share their scope: not those of functions, classes and comprehensions."""
    for node in nodes:
        yield node
        match node:
            case ast.comprehension(iter=iterated, ifs=conditions):
                yield from in_scope([iterated, *conditions])
            case _ if not isinstance(node, FUNCTIONS | ast.ClassDef):
                yield from in_scope(ast.iter_child_nodes(node))


def names_given(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that these nodes give in their scope; what an import names is elsewhere."""
    here = [*in_scope(nodes)]
    others = {name for node in here if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    giving = (node for node in here if not isinstance(getattr(node, "ctx", None), ast.Load | ast.Del))
    return {getattr(node, NAMING[type(node)]) for node in giving if type(node) in NAMING} - others - {None}


class NumberedLocals(ast.NodeVisitor):
    """Numbers the locals of each function of a tree, in the order in which the function first says them.

    Parameters that a caller may name keep their names; those of a lambda do not.
    """

    def __init__(self) -> None:
        self.scopes: dict[str, int] = {}  # of each local that may be said here
        self.n_scopes = 0
        self.numbers: dict[tuple[str, int], str] = {}

    def number(self, name: str) -> str:
        """What stands for a name: "local 3", or itself where it is no local's."""
        if name not in self.scopes:
            return name
        return self.numbers.setdefault((name, self.scopes[name]), f"local {len(self.numbers)}")

    @contextlib.contextmanager
    def scope(self, names: Iterable[str], not_here: Iterable[str] = ()) -> Iterator[None]:
        """A scope inside this one: locals of these names, and others that are not to be taken for locals."""
        outside = self.scopes
        if not outside:
            self.numbers = {}
        self.n_scopes += 1
        inside = outside | dict.fromkeys(names, self.n_scopes)
        self.scopes = {name: scope for name, scope in inside.items() if name not in not_here}
        yield
        self.scopes = outside

    def visit_all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        field = NAMING.get(type(node))
        if field and (name := getattr(node, field)):
            setattr(node, field, self.number(name))
        super().generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit_all((node.target, node.value))

    def visit_Raise(self, node: ast.Raise) -> None:
        """An error's text may say what it likes."""
        self.visit_all((node.exc.func,) if isinstance(node.exc, ast.Call) else (node.exc, node.cause))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        node.names = [self.number(name) for name in node.names]

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        node.name = self.number(node.name)
        self.visit_all((*node.decorator_list, *node.bases, *node.keywords))
        with self.scope((), not_here={*names_given(node.body)}):
            self.visit_all(node.body)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        node.name = self.number(node.name)
        self.visit_all((*node.decorator_list, *node.args.defaults, *node.args.kw_defaults))
        by_name = {parameter.arg for parameter in (*node.args.args, *node.args.kwonlyargs)}
        self.visit_scope(node.args, node.body, by_name)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit_all((*node.args.defaults, *node.args.kw_defaults))
        self.visit_scope(node.args, [node.body])

    def visit_scope(self, arguments: ast.arguments, body: Sequence[ast.AST], by_name: Iterable[str] = ()) -> None:
        """What is inside a function, with the parameters that a caller may name."""
        parameters = [node for node in ast.walk(arguments) if isinstance(node, ast.arg)]
        with self.scope(names_given(body) | {parameter.arg for parameter in parameters}, not_here=by_name):
            for parameter in parameters:
                parameter.arg = self.number(parameter.arg)
            self.visit_all(body)

    def visit_comprehension_scope(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        first, *others = node.generators
        self.visit(first.iter)
        with self.scope(names_given(generator.target for generator in node.generators)):
            self.visit_all((first.target, *first.ifs, *others))
            values = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
            self.visit_all(values)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_comprehension_scope


def numbered(tree: ast.Module) -> ast.Module:
    """A tree with its locals numbered, each function's from 0; the tree itself is changed."""
    NumberedLocals().visit(tree)
    return tree
