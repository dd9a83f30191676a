"""Runs linformer 0.2.3."""

from typing import Any

from torch import randint, randn


def plain() -> tuple[Any, ...]:
    from linformer import Linformer

    return Linformer(16, 8, 2, k=4, heads=2, one_kv_head=True, share_kv=True, dropout=0.1), randn(1, 8, 16)


def reversible() -> tuple[Any, ...]:
    from linformer import Linformer

    return Linformer(16, 8, 2, k=4, heads=2, reversible=True), randn(1, 8, 16)


def attention() -> tuple[Any, ...]:
    from linformer import LinformerSelfAttention

    return LinformerSelfAttention(16, 8, k=4, heads=2), randn(1, 8, 16), randn(1, 8, 16)


def language_model() -> tuple[Any, ...]:
    from linformer import LinformerLM

    return LinformerLM(9, 16, 8, 1, k=4, heads=2), randint(0, 9, (1, 8))


def feed_forward() -> tuple[Any, ...]:
    from linformer.linformer import GELU_, FeedForward

    return FeedForward(8, activation=GELU_, glu=True, dropout=0.1), randn(1, 4, 8)
