"""`functools`: what calls functions that it is given."""


def reduce(function, iterable, *initial):
    first, *others = [*initial, *iterable]
    total = first
    for item in others:
        total = function(total, item)
    return total
