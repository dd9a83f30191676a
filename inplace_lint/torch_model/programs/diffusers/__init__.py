"""Diffusers' schedulers: the tables that they keep are read at each step."""

import torch


class _Scheduler:
    def __init__(self, num_train_timesteps=1000, *rest, **options):
        self.betas = torch.linspace(0.0001, 0.02, num_train_timesteps)
        self.alphas = 1.0 - self.betas
        self.alphas_cumprod = torch.cumprod(self.alphas, dim=0)
        self.timesteps = torch.arange(num_train_timesteps - 1, -1, -1)

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


class DDPMScheduler(_Scheduler):
    pass


class DDIMScheduler(_Scheduler):
    pass


class PNDMScheduler(_Scheduler):
    pass
