"""The callbacks for Lightning and for the Trainer of Hugging Face, where these are installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.overrides import _get_current_function_mode

from inplace_lint import InplaceError, InplaceWarning
from inplace_lint.integrations.steps import Steps


class Net(nn.Module):
    """The mode says what happens to the sigmoid that backward needs."""

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.mode = mode

    def forward(self, x: Tensor, **_: Any) -> dict[str, Tensor]:
        h = torch.sigmoid(self.linear(x))
        if self.mode == "raises":
            h.mul_(2)
        if self.mode == "silent":
            h.data.mul_(2)
        return {"loss": h.sum()}


def test_steps_are_told_once_and_watched_as_asked(recwarn: pytest.WarningsRecorder) -> None:
    net, steps = Net("silent"), Steps(strict=False, steps=2)
    for _ in range(3):
        steps.begin()
        watched = _get_current_function_mode() is not None
        net(torch.ones(2, 4))["loss"].backward()
        steps.end()
    assert [each.category for each in recwarn] == [InplaceWarning]
    assert not watched, "the third step"


def test_a_step_that_raised_ends_with_the_next() -> None:
    steps = Steps(strict=True, steps=None)
    for _ in range(2):
        steps.begin()
        with pytest.raises(InplaceError):
            Net("silent")(torch.ones(2, 4))["loss"].backward()
    steps.end()
    assert _get_current_function_mode() is None


def fit_lightning(mode: str, folder: Path, **options: Any) -> None:
    lightning = pytest.importorskip("lightning.pytorch")
    from inplace_lint.integrations.lightning import WatchCallback

    class Module(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.net = Net(mode)

        def training_step(self, batch: Tensor, _: int) -> Tensor:
            loss: Tensor = self.net(batch)["loss"]
            return loss

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    trainer = lightning.Trainer(
        max_steps=2,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=folder,
        callbacks=[WatchCallback(**options)],
    )
    trainer.fit(Module(), torch.utils.data.DataLoader(torch.ones(4, 4), batch_size=2))


def fit_transformers(mode: str, folder: Path, **options: Any) -> None:
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    from inplace_lint.integrations.transformers import WatchCallback

    arguments = transformers.TrainingArguments(
        output_dir=str(folder),
        max_steps=2,
        use_cpu=True,
        report_to=[],
        save_strategy="no",
        disable_tqdm=True,
        remove_unused_columns=False,
    )
    data = [{"x": torch.ones(4)} for _ in range(4)]
    callback = WatchCallback(**options)
    trainer = transformers.Trainer(Net(mode), arguments, train_dataset=data, callbacks=[callback])
    try:
        trainer.train()
    finally:
        callback.on_train_end()


FITS = pytest.mark.parametrize("fit", [fit_lightning, fit_transformers])


@FITS
@pytest.mark.skipif(sys.version_info < (3, 11), reason="notes on errors")
def test_an_error_has_its_story(fit: Any, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as raised:
        fit("raises", tmp_path)
    assert "error[IPL202]: `mul_` modifies `h`" in "".join(raised.value.__notes__)


@FITS
def test_a_silent_write_is_told_once(fit: Any, tmp_path: Path) -> None:
    with pytest.warns(InplaceWarning, match="IPL401") as told:
        fit("silent", tmp_path)
    assert len([each for each in told if each.category is InplaceWarning]) == 1
    assert _get_current_function_mode() is None


@FITS
def test_strict(fit: Any, tmp_path: Path) -> None:
    with pytest.raises(InplaceError):
        fit("silent", tmp_path, strict=True)


@FITS
def test_a_right_step_is_left_alone(fit: Any, tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    fit("right", tmp_path, strict=True)
    assert not [each for each in recwarn if each.category is InplaceWarning]
