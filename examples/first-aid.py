#!/usr/bin/env python3
"""An agent for Remedium in one file, without any library: it wakes up services that somebody has scaled to zero.

    ./remedium run --agent external --external "python3 examples/first-aid.py"

docs/agents.md describes what is said on standard input and output.
"""

import json
import sys
from collections import Counter


def say(message):
    print(json.dumps(message), flush=True)


def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


class Actions:
    """Calls actions by name: actions("get_alerts"), actions("get_logs", service="cart")."""

    def __init__(self):
        self.calls = 0

    def __call__(self, name, **arguments):
        self.calls += 1
        say({"call": {"id": self.calls, "name": name, "input": arguments}})
        return hear()["observation"]


def wake_up(namespace, names):
    tasks = [
        {
            "name": f"Wake up {name}",
            "kubernetes.core.k8s_scale": {
                "api_version": "apps/v1",
                "kind": "Deployment",
                "namespace": namespace,
                "name": name,
                "replicas": 1,
            },
        }
        for name in names
    ]
    # JSON is YAML.
    return json.dumps([{"name": "First aid", "hosts": "localhost", "gather_facts": False, "tasks": tasks}])


def suspects(actions):
    """Services that fail calls, the worst first."""
    failures = Counter()
    for edge in actions("get_topology").get("data", {}).get("edges", []):
        if edge["errors"] > 0:
            failures[edge["to"]] += edge["errors"]
    return [service for service, _ in failures.most_common(3)]


def main():
    begin = hear()["begin"]
    briefing, actions = begin["briefing"], Actions()
    available = {action["name"] for action in begin["actions"]}

    deployments = actions("get_objects", kind="Deployment").get("data") or []
    asleep = [one["metadata"]["name"] for one in deployments if one["spec"].get("replicas", 1) == 0]
    say({"thought": f"Asleep: {', '.join(asleep) or 'nobody'}."})

    if asleep and "run_playbook" in available:
        outcome = actions("run_playbook", playbook=wake_up(briefing["namespace"], asleep))
        say({"thought": "They wake up." if outcome["ok"] else outcome["text"]})

    services = asleep or suspects(actions)
    answers = {"detected": bool(services)}
    if services:
        answers |= {"services": services, "layer": "application", "type": "operation-error"}
    say({"submit": answers})


main()
