#!/usr/bin/env python3
"""A complete external agent for Remedium, without dependencies. It scales up services that were scaled to zero.

    ./remedium run --agent external --external "python3 examples/first-aid.py"

docs/agents.md describes the protocol on standard input and output.
"""

import json
import sys
from collections import Counter


def send(message):
    print(json.dumps(message), flush=True)


def receive():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


class Actions:
    """Calls actions by name, such as actions("get_logs", service="cart"), and returns their observations."""

    def __init__(self):
        self.calls = 0

    def __call__(self, name, **arguments):
        self.calls += 1
        send({"call": {"id": self.calls, "name": name, "input": arguments}})
        return receive()["observation"]


def scale_up(namespace, names):
    """Returns a playbook that scales each Deployment to one replica."""
    tasks = [
        {
            "name": f"Scale up {name}",
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
    # JSON is valid YAML.
    return json.dumps([{"name": "First aid", "hosts": "localhost", "gather_facts": False, "tasks": tasks}])


def failing_services(actions):
    """Returns the three services with the most failed calls."""
    failures = Counter()
    for edge in actions("get_topology").get("data", {}).get("edges", []):
        if edge["errors"] > 0:
            failures[edge["to"]] += edge["errors"]
    return [service for service, _ in failures.most_common(3)]


def main():
    begin = receive()["begin"]
    briefing, actions = begin["briefing"], Actions()
    available = {action["name"] for action in begin["actions"]}

    deployments = actions("get_objects", kind="Deployment").get("data") or []
    stopped = [one["metadata"]["name"] for one in deployments if one["spec"].get("replicas", 1) == 0]
    send({"thought": f"Scaled to zero: {', '.join(stopped) or 'none'}."})

    if stopped and "run_playbook" in available:
        outcome = actions("run_playbook", playbook=scale_up(briefing["namespace"], stopped))
        send({"thought": "Scaled up." if outcome["ok"] else outcome["text"]})

    services = stopped or failing_services(actions)
    answers = {"detected": bool(services)}
    if services:
        answers |= {"services": services, "layer": "application", "type": "operation-error"}
    send({"submit": answers})


main()
