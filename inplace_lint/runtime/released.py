"""Models of timm and transformers as targets: by the name of one, or by a configuration."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from inplace_lint.runtime.errors import TargetError


def model_of_timm(library: ModuleType, name: str) -> Callable[..., Any] | None:
    """What makes a model of timm, with random weights; None if timm knows none of that name."""
    return partial(library.create_model, name) if library.is_model(name) else None


def with_config(entry: Any, text: str) -> Callable[..., Any]:
    """What makes a model of transformers with a configuration and random weights; nothing is downloaded.

    Args:
        entry: a class of models, or one that chooses (`AutoModel`).
        text: the configuration as JSON, with its `model_type`; a file with that; or a folder with `config.json`.

    Raises:
        TargetError: it is no configuration.
    """
    config = _config(text)
    build = entry.from_config if hasattr(entry, "from_config") else entry
    return lambda **init: build(copy.deepcopy(config), **init)


def _config(text: str) -> Any:
    from transformers import AutoConfig

    path = Path(text)
    try:
        is_text = text.lstrip().startswith("{")
        written = text if is_text else (path / "config.json" if path.is_dir() else path).read_text("utf-8")
        given = json.loads(written)
        kind = given.pop("model_type")
    except (OSError, ValueError) as error:
        raise TargetError(f"--hf-config: {error}") from error
    except (KeyError, AttributeError, TypeError) as error:
        raise TargetError("--hf-config: names no `model_type`") from error
    try:
        return AutoConfig.for_model(kind, **given)
    except Exception as error:
        raise TargetError(f"--hf-config: {str(error).strip().splitlines()[0]}") from error
