"""The client: one session of the server for each instance."""

from dataclasses import dataclass, field
from typing import Any, Optional

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient

from .models import RemediumAction, RemediumObservation, RemediumState

# Starting a cluster of real processes and judging a repair take minutes on a busy machine.
MESSAGE_TIMEOUT_S = 1200.0


@dataclass
class GymResult(StepResult[RemediumObservation]):
    """The result of a step. The reward of a void episode is None: it says nothing about the agent."""

    terminated: bool = False
    truncated: bool = False
    info: dict[str, Any] = field(default_factory=dict)
    """For the trainer: it reveals the answer."""


class RemediumEnv(EnvClient[RemediumAction, RemediumObservation, RemediumState]):
    """`reset` takes `seed` and `problem`, the ID of a problem of the server."""

    def __init__(self, base_url: str, message_timeout_s: float = MESSAGE_TIMEOUT_S, **options: Any):
        super().__init__(base_url=base_url, message_timeout_s=message_timeout_s, **options)

    def _step_payload(self, action: RemediumAction) -> dict[str, Any]:
        return {"name": action.name, "input": action.input}

    def _parse_result(self, payload: dict[str, Any]) -> GymResult:
        reward: Optional[float] = payload.get("reward")
        done = bool(payload.get("done", False))
        observation = RemediumObservation(**{**payload.get("observation", {}), "done": done, "reward": reward})
        return GymResult(
            observation=observation,
            reward=reward,
            done=done,
            terminated=bool(payload.get("terminated", False)),
            truncated=bool(payload.get("truncated", False)),
            info=payload.get("info", {}),
        )

    def _parse_state(self, payload: dict[str, Any]) -> RemediumState:
        return RemediumState(**payload)
