"""Alias chains: the bindings that a value went through, each read from the next."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.torch_model.labels import has_computed_position
from inplace_lint.torch_model.operands import Binding


def is_variable(binding: Binding) -> bool:
    """Whether a value was kept with all other buffers of a module: who does so keeps variables, not values."""
    return any(link.keeper == "buffers" for link in (binding, *sources(binding)))


def passed_from(binding: Binding) -> Iterator[Binding]:
    """The callers' bindings that an argument, or a local name for it, came from, innermost first."""
    passed = False
    while binding.is_result and binding.source is not None and binding.source.place == binding.place:
        binding = binding.source
    while binding.source is not None and (
        binding.kind in ("parameter", "name") or (passed and binding.keeper == "arguments")
    ):
        if binding.is_result:
            return
        passed = passed or (binding.kind == "parameter" and not is_given_back(binding))
        binding = binding.source
        if passed:
            yield binding


def is_given_back(binding: Binding) -> bool:
    """Whether it stands for what a call or an op gave, which it had found in another binding of this place."""
    return binding.source is not None and binding.source.place == binding.place


def came_by_call(binding: Binding) -> bool:
    """Whether a call gave what it had found in an attribute or element."""
    kept = binding.kind in ("attribute", "element") and not binding.is_result
    return kept and binding.by_call and is_given_back(binding)


def kept_since(binding: Binding) -> int:
    """When the attribute or element was given its value that calls have given; 0 if it is none."""
    while is_given_back(binding) and binding.source is not None:
        binding = binding.source
    return binding.bound_at if binding.kind in ("attribute", "element") else 0


def was_put(binding: Binding) -> bool:
    """Whether the program put a value into an attribute or element; an op that gives several puts them in a tuple."""
    if binding.kind == "element":
        return binding.site is not None or binding.source is not None
    return binding.kind == "attribute"


def held_since(binding: Binding | None) -> int:
    """When the value was put where it was read from at last; 0 if it has no name."""
    while binding is not None and binding.source is not None and not binding.is_result and binding.kind == "name":
        binding = binding.source
    return binding.bound_at if binding is not None else 0


COPY = "<copy>"


def is_copy(binding: Binding) -> bool:
    """Whether it stands for what `copy.copy` made of a module: another one, with the same parameters."""
    return binding.key == COPY


def is_of_context(binding: Binding | None) -> bool:
    """Whether a place is an attribute of the `ctx` of a custom function."""
    return binding is not None and binding.keeper == "context"


def sources(binding: Binding) -> Iterator[Binding]:
    """The bindings that a value was read from, nearest first."""
    current = binding.source
    for _ in range(20):
        if current is None:
            return
        yield current
        current = current.source


def derived(binding: Binding, origin: Binding) -> bool:
    """Whether a value was read from another binding, at whatever time."""
    return any(source.place == origin.place for source in sources(binding))


def common_source(a: Binding, b: Binding) -> bool:
    """Whether two values were read from the same place; an element of a copied container is no place of its own."""
    kinds = {"name", "parameter"}
    if a.kind in ("attribute", "element"):
        kinds |= {"attribute", "element"} if a.site is not None else {"attribute"}
    ours = {source.place for source in sources(a) if source.kind in kinds}
    return any(source.place in ours for source in sources(b))


def alias_path(link: Binding, binding: Binding) -> list[Binding] | None:
    """The alias chain from the attribute or element `binding` to `link`, newest first; None if they are unrelated."""
    way = [link]
    for source in sources(link):
        if source.place == binding.place and not source.is_result and not came_by_call(source):
            return way
        way.append(source)
    return None


def is_chosen(binding: Binding) -> bool:
    """Whether an element of a list was taken from another one by its position: that makes a choice, and no copy."""
    return isinstance(binding.key, int) and has_computed_position(binding.label)


def origin(binding: Binding) -> Binding:
    """The element or attribute that a binding is a copy of, as its holder was copied, perhaps many times."""
    while (source := binding.source) is not None and not source.is_result and not came_by_call(source):
        if source.place != binding.place and not _is_copied(binding, source):
            break
        binding = source
    return binding


def _is_copied(binding: Binding, source: Binding) -> bool:
    """Whether a container or object was copied, and something in it has come along."""
    same_key = binding.kind == source.kind == "element" and binding.key == source.key and not _is_picked(binding)
    came_with_object = binding.kind == "attribute" and binding.site is None
    return same_key or came_with_object


def is_in_copy(binding: Binding) -> bool:
    """Whether a dictionary or object was copied, and this is what the copy has under the same name: the very tensor."""
    source, kind = binding.source, binding.kind
    if source is None or source.kind != kind or kind not in ("attribute", "element"):
        return False
    return bool(binding.name) and binding.site is None and source.owner != binding.owner


def _is_picked(binding: Binding) -> bool:
    """Whether an element of a list was taken from another one by its position, if only by the same one by chance."""
    return isinstance(binding.key, int) and binding.label.endswith("]")


def reached_by(binding: Binding | None, other: Binding | None) -> bool:
    """Whether a value was read from where another one is kept, and not from where somebody else keeps it."""
    places = {link.place for link in _until_kept(other)}
    return any(link.place in places for link in _until_kept(binding))


def _until_kept(binding: Binding | None) -> Iterator[Binding]:
    """A binding and those that its value was read from, up to the first attribute or element."""
    for link in (binding, *sources(binding)) if binding is not None else ():
        yield link
        if link.kind in ("attribute", "element"):
            return
