"""A learning rate with a height of its own, that falls to zero at the end: both are ours, not the paper's."""

from __future__ import annotations

from dataclasses import dataclass

import transformer_core as tc


@dataclass(frozen=True, kw_only=True)
class TrainingConfig(tc.TrainingConfig):
    """The core's, and two numbers more, which do nothing by default."""

    peak_learning_rate: float | None = None  # the rate at the end of warm-up, in place of equation 3's own
    cooldown_steps: int = 0  # the last steps, over which the rate falls to zero in a straight line

    def learning_rate(self, step: int, d_model: int) -> float:
        """The rate of this step (equation 3), scaled to the peak asked for, the cooldown applied."""
        rate = super().learning_rate(step, d_model)
        if self.peak_learning_rate is not None:  # of one feature the height is warmup_steps^-0.5
            rate = self.peak_learning_rate * self.warmup_steps**0.5 * super().learning_rate(step, 1)
        if self.cooldown_steps:
            left = max(0, self.steps - step + 1)
            rate *= min(1.0, left / self.cooldown_steps)
        return rate


def of(config: tc.TrainingConfig) -> TrainingConfig:
    """The configuration itself, or one of the core's with neither peak nor cooldown."""
    return config if isinstance(config, TrainingConfig) else TrainingConfig(**vars(config))
