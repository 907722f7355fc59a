"""Drives a server of the gym with the client of openenv-core: episodes in parallel sessions, and mistakes."""

import asyncio
import json
import sys

from remedium_gym import RemediumAction, RemediumEnv

url, sessions = sys.argv[1], int(sys.argv[2])


async def step_without_episode(env: RemediumEnv) -> str:
    try:
        await env.step(RemediumAction(name="submit"))
    except RuntimeError as error:
        return str(error)
    raise AssertionError("a step without an episode must fail")


async def play(seed: int) -> dict:
    async with RemediumEnv(url) as env:
        mistake = await step_without_episode(env)
        assert "Call reset first" in mistake, mistake
        first = await env.reset(seed=seed)
        assert first.observation.briefing and first.observation.actions and not first.done
        refused = await env.step(RemediumAction(name="no_such_action"))
        assert not refused.observation.ok and not refused.done
        end = await env.step(RemediumAction(name="submit"))
        state = await env.state()
        assert end.done and state.is_over and state.step_count == 1
        return {"reward": end.reward, "outcome": end.info["verdict"]["outcome"]}


async def main() -> None:
    results = await asyncio.gather(*(play(seed) for seed in range(sessions)))
    print(json.dumps(results))


asyncio.run(main())
