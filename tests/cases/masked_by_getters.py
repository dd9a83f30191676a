"""Functions that are named for getting, and mask what they give: part of what is kept."""

import torch


class Words:
    def __init__(self):
        self.words = torch.tensor([[1, 2, 9], [3, 4, 5]])

    def append(self, words):
        self.words = torch.cat([self.words, words.unsqueeze(1)], 1)

    def best(self):
        return self.words[0]


class Decoded(Words):
    def get_last(self, most):
        words = self.words[:, -1]
        words[words >= most] = 0  # warning: [IPL304]
        return words


def case_last_words():
    decoded = Decoded()
    for _ in range(2):
        last = decoded.get_last(8)
        decoded.append(last + 4)
    return decoded.best()


class DecodedWithCopies(Words):
    def get_last(self, most):
        words = self.words[:, -1].clone()
        words[words >= most] = 0
        return words


def case_last_words_cured():
    decoded = DecodedWithCopies()
    for _ in range(2):
        last = decoded.get_last(8)
        decoded.append(last + 4)
    return decoded.best()


class Scores:
    def __init__(self):
        self.scores = {"white": torch.rand(4) - 0.5, "black": torch.rand(4)}

    def total(self):
        return self.scores["white"].sum() + self.scores["black"].sum()


class Board(Scores):
    def current_scores(self, player):
        scores = self.scores[player]
        scores.masked_fill_(scores < 0, 0.0)  # warning: [IPL304]
        return scores


def case_scores_without_losses():
    board = Board()
    gains = board.current_scores("white").sum()
    return gains - board.total()


class BoardWithCopies(Scores):
    def current_scores(self, player):
        scores = self.scores[player]
        return scores.masked_fill(scores < 0, 0.0)


def case_scores_without_losses_cured():
    board = BoardWithCopies()
    gains = board.current_scores("white").sum()
    return gains - board.total()


class Masking(Words):
    def mask_last(self, most):
        words = self.words[:, -1]
        words[words >= most] = 0
        return words


def case_named_for_masking():
    decoded = Masking()
    last = decoded.mask_last(8)
    return last, decoded.best()


class Cache:
    def __init__(self):
        self.values, self.missing = torch.zeros(3), torch.tensor([True, False, True])

    def get_values(self, x):
        values = self.values
        values[self.missing] = x[self.missing]
        return values

    def total(self):
        return self.values.sum()


def case_missing_values_are_computed():
    cache = Cache()
    values = cache.get_values(torch.rand(3))
    return values - cache.total()


class Dropped(Words):
    def get_last(self, most):
        words = self.words[:, -1]
        words[words >= most] = 0
        return words


def case_result_is_dropped():
    decoded = Dropped()
    decoded.get_last(8)
    return decoded.best()
