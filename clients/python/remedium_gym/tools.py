"""The gym as an environment of TRL: its public methods are the tools of the model."""

from typing import Any, Optional

from .client import GymResult, RemediumEnv
from .models import RemediumAction


class RemediumTools:
    """Pass `lambda: RemediumTools(url)` as `environment_factory` of `GRPOTrainer`.

    The columns `problem` and `seed` of the dataset, if present, choose the episode. The reward of a void episode is
    None, which TRL leaves out.
    """

    def __init__(self, base_url: str):
        self._env = RemediumEnv(base_url).sync()
        self._last: Optional[GymResult] = None

    def reset(self, problem: Optional[str] = None, seed: Optional[int] = None, **_: Any) -> str:
        """Starts an episode and returns its briefing."""
        options = {"problem": problem, "seed": seed}
        self._last = self._env.reset(**{name: value for name, value in options.items() if value is not None})
        return self._last.observation.text

    def get_reward(self) -> Optional[float]:
        """Returns the reward. Submits first if the model did not."""
        if self._last is not None and not self._last.done:
            self._act("submit")
        if self._last is None or not self._last.done:
            return 0.0
        return self._last.reward

    def _act(self, name: str, **fields: Any) -> str:
        if self._last is None or self._last.done:
            return "The episode is over."
        given = {field: value for field, value in fields.items() if value is not None}
        self._last = self._env.step(RemediumAction(name=name, input=given))
        return self._last.observation.text

    def get_alerts(self) -> str:
        """Returns the active alerts of the system."""
        return self._act("get_alerts")

    def get_metrics(self, service: Optional[str] = None) -> str:
        """Returns request rates, errors, latencies and resource usage.

        Args:
            service: Return only the metrics of this service.
        """
        return self._act("get_metrics", service=service)

    def get_logs(self, service: Optional[str] = None, contains: Optional[str] = None) -> str:
        """Returns recent log lines.

        Args:
            service: Return only lines of this service.
            contains: Return only lines that contain this text.
        """
        return self._act("get_logs", service=service, contains=contains)

    def get_objects(self, kind: str, name: Optional[str] = None) -> str:
        """Returns Kubernetes objects of the system.

        Args:
            kind: The kind, such as Deployment.
            name: The name of one object to return in full.
        """
        return self._act("get_objects", kind=kind, name=name)

    def describe(self, kind: str, name: str) -> str:
        """Describes a Kubernetes object with its events.

        Args:
            kind: The kind, such as Pod.
            name: The name of the object.
        """
        return self._act("describe", kind=kind, name=name)

    def run_playbook(self, playbook: str) -> str:
        """Runs an Ansible playbook that changes the system.

        Args:
            playbook: The text of the playbook, in YAML.
        """
        return self._act("run_playbook", playbook=playbook)

    def submit(self) -> str:
        """Ends the episode when the system is repaired."""
        return self._act("submit")
