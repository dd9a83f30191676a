"""`itertools`: what passes on the elements that it is given, or computes others from them."""


class chain:
    def __init__(self, *iterables):
        self.items = []
        for iterable in iterables:
            self.items = [*self.items, *iterable]

    def __iter__(self):
        yield from self.items

    @classmethod
    def from_iterable(cls, iterables):
        return cls(*iterables)


def starmap(function, iterable):
    return [function(*each) for each in iterable]


def islice(iterable, *bounds):
    return list(iterable)[slice(*bounds)]


def filterfalse(function, iterable):
    return [each for each in iterable if not (each if function is None else function(each))]


def takewhile(function, iterable):
    items = []
    for each in iterable:
        if not function(each):
            break
        items.append(each)
    return items


def zip_longest(*iterables, fillvalue=None):
    columns = [list(each) for each in iterables]
    most = max([len(each) for each in columns])
    filled = [[*each, *[fillvalue for _ in range(most - len(each))]] for each in columns]
    return list(zip(*filled, strict=True))


def pairwise(iterable):
    items = list(iterable)
    return [(items[i], items[i + 1]) for i in range(len(items) - 1)]


def product(*iterables, repeat=1):
    rows = [()]
    for items in [list(each) for each in iterables] * repeat:
        rows = [(*row, item) for row in rows for item in items]
    return rows


def accumulate(iterable, func=None, *, initial=None):
    """The totals so far; `operator.iadd` makes one tensor of all of them."""
    total, *others = iterable if initial is None else [initial, *iterable]
    yield total
    for item in others:
        total = total + item if func is None else func(total, item)
        yield total
