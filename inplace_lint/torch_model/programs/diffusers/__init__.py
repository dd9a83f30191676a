"""Diffusers' schedulers: the tables that they keep are read at each step, and some keep what models gave before."""

import torch

from inplace_lint.intrinsics import surely, unknown


class SchedulerOutput:
    def __init__(self, prev_sample, pred_original_sample):
        self.prev_sample = prev_sample
        self.pred_original_sample = pred_original_sample

    def __getitem__(self, key):
        return self.prev_sample if surely(key == 0) else unknown()


class _Config:
    def __init__(self, num_train_timesteps, prediction_type):
        self.num_train_timesteps = num_train_timesteps
        self.prediction_type = prediction_type

    def __getattr__(self, name):
        return unknown()


class _Scheduler:
    def __init__(self, num_train_timesteps=1000, *rest, prediction_type="epsilon", **options):
        self.config = _Config(num_train_timesteps, prediction_type)
        self.betas = torch.linspace(0.0001, 0.02, num_train_timesteps)
        self.alphas = 1.0 - self.betas
        self.alphas_cumprod = torch.cumprod(self.alphas, dim=0)
        self.timesteps = torch.arange(num_train_timesteps - 1, -1, -1)

    @classmethod
    def from_config(cls, config=None, prediction_type=None, **options):
        if surely(prediction_type is None):
            prediction_type = config.prediction_type if surely(isinstance(config, _Config)) else unknown()
        return cls(prediction_type=prediction_type)

    @classmethod
    def from_pretrained(cls, *args, **options):
        return cls(prediction_type=unknown())

    def set_timesteps(self, num_inference_steps=None, *rest, **options):
        self.timesteps = torch.arange(num_inference_steps - 1, -1, -1)

    def _factors(self, timesteps, like):
        alphas = self.alphas_cumprod.to(like.dtype)
        first, second = alphas[timesteps] ** 0.5, (1 - alphas[timesteps]) ** 0.5
        return first.reshape(-1, 1, 1, 1), second.reshape(-1, 1, 1, 1)

    def add_noise(self, original_samples, noise, timesteps):
        first, second = self._factors(timesteps, original_samples)
        return first * original_samples + second * noise

    def get_velocity(self, sample, noise, timesteps):
        first, second = self._factors(timesteps, sample)
        return first * noise - second * sample

    def scale_model_input(self, sample, timestep=None):
        return sample

    def step(self, model_output, timestep, sample, *rest, return_dict=True, **options):
        return self._given(sample - 0.5 * model_output, return_dict)

    def _given(self, prev_sample, return_dict):
        return (prev_sample,) if surely(return_dict is False) else SchedulerOutput(prev_sample, prev_sample * 2)


class _MultistepScheduler(_Scheduler):
    """It keeps what it makes of what models give: that itself, if they predict the sample."""

    def set_timesteps(self, num_inference_steps=None, *rest, **options):
        super().set_timesteps(num_inference_steps)
        self.model_outputs = []

    def step(self, model_output, timestep, sample, *rest, return_dict=True, **options):
        is_sample = surely(self.config.prediction_type == "sample")
        self.model_outputs.append(model_output if is_sample else sample - 0.5 * model_output)
        if surely(len(self.model_outputs) > 1):
            sample = sample - self.model_outputs[-2]
        return self._given(sample - self.model_outputs[-1], return_dict)


class DPMSolverMultistepScheduler(_MultistepScheduler):
    pass


class DEISMultistepScheduler(_MultistepScheduler):
    pass


class _CorrectingScheduler(_MultistepScheduler):
    """It keeps the sample that it is given first, and corrects each later one by that of the step before."""

    def set_timesteps(self, num_inference_steps=None, *rest, **options):
        super().set_timesteps(num_inference_steps)
        self.last_sample = None

    def step(self, model_output, timestep, sample, *rest, return_dict=True, **options):
        if surely(self.last_sample is not None):
            sample = sample + self.last_sample
        self.last_sample = sample
        return super().step(model_output, timestep, sample, return_dict=return_dict)


class UniPCMultistepScheduler(_CorrectingScheduler):
    pass


class SASolverScheduler(_CorrectingScheduler):
    pass


class _TwoStageScheduler(_Scheduler):
    """Each second step goes on from the sample that the step before was given."""

    def set_timesteps(self, num_inference_steps=None, *rest, **options):
        super().set_timesteps(num_inference_steps)
        self.sample = None

    def step(self, model_output, timestep, sample, *rest, return_dict=True, **options):
        if surely(self.sample is None):
            self.sample = sample
        else:
            sample, self.sample = self.sample, None
        return super().step(model_output, timestep, sample, return_dict=return_dict)


class HeunDiscreteScheduler(_TwoStageScheduler):
    pass


class KDPM2DiscreteScheduler(_TwoStageScheduler):
    pass


class KDPM2AncestralDiscreteScheduler(_TwoStageScheduler):
    pass


class DPMSolverSDEScheduler(_TwoStageScheduler):
    pass


class FlowMatchHeunDiscreteScheduler(_TwoStageScheduler):
    pass


class DPMSolverSinglestepScheduler(_TwoStageScheduler):
    pass


class DDPMScheduler(_Scheduler):
    pass


class DDIMScheduler(_Scheduler):
    pass


class EulerDiscreteScheduler(_Scheduler):
    pass


class EulerAncestralDiscreteScheduler(_Scheduler):
    pass


class PNDMScheduler(_Scheduler):
    """It keeps what models give, and starts its second step from the first sample."""

    def set_timesteps(self, num_inference_steps=None, *rest, **options):
        super().set_timesteps(num_inference_steps)
        self.ets, self.cur_sample = [], None

    def step(self, model_output, timestep, sample, *rest, return_dict=True, **options):
        self.ets.append(model_output)
        if surely(len(self.ets) == 1):
            self.cur_sample = sample
        elif surely(self.cur_sample is not None):
            sample, self.cur_sample = self.cur_sample, None
        if surely(len(self.ets) > 1):
            sample = sample - self.ets[-2]
        return self._given(sample - self.ets[-1], return_dict)
