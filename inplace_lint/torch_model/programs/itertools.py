"""`itertools`: what passes on the elements that it is given, or computes others from them."""


def chain(*iterables):
    items = []
    for iterable in iterables:
        items = [*items, *iterable]
    return items


def accumulate(iterable, func=None, *, initial=None):
    """The totals so far; `operator.iadd` makes one tensor of all of them."""
    total, *others = iterable if initial is None else [initial, *iterable]
    yield total
    for item in others:
        total = total + item if func is None else func(total, item)
        yield total
