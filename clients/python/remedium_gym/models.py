"""The actions, observations and states of the gym."""

from typing import Any, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import ConfigDict, Field


class RemediumAction(Action):
    """A call of an action, such as run_playbook."""

    name: str
    input: dict[str, Any] = Field(default_factory=dict)


class RemediumObservation(Observation):
    """The result of an action, written for a language model."""

    model_config = ConfigDict(extra="ignore", validate_assignment=True)

    ok: bool = True
    """False if the action was refused or failed; the text says why."""
    text: str = ""
    data: Any = None
    """The content of the text as JSON; absent if the observation is only text."""
    briefing: Optional[dict[str, Any]] = None
    """Task, system, report and budget; in the first observation only."""
    actions: Optional[list[dict[str, Any]]] = None
    """The available actions with their JSON schemas; in the first observation only."""


class RemediumState(State):
    """The state of a session. `info` reveals the answer: do not show it to the agent."""

    is_over: bool = True
    terminated: bool = False
    truncated: bool = False
    reward: Optional[float] = None
    info: dict[str, Any] = Field(default_factory=dict)
