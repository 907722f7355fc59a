"""Drives a server of the gym with the client of openenv-core: episodes in parallel sessions, with hostile clients beside them."""

import asyncio
import json
import sys

from remedium_gym import RemediumAction, RemediumEnv
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

url, sessions = sys.argv[1], int(sys.argv[2])
POLICY_VIOLATION = 1008
TOO_BIG = 1009
TRY_AGAIN_LATER = 1013


def socket():
    return connect(url.replace("http", "ws", 1) + "/ws", max_size=None)


async def step_without_episode(env: RemediumEnv) -> str:
    try:
        await env.step(RemediumAction(name="submit"))
    except RuntimeError as error:
        return str(error)
    raise AssertionError("a step without an episode must fail")


async def play(seed: int, all_started: asyncio.Barrier, all_hostile: asyncio.Event) -> dict:
    """Waits in the middle of the episode until all sessions have one, and until the hostile clients are done."""
    async with RemediumEnv(url) as env:
        mistake = await step_without_episode(env)
        assert "Call reset first" in mistake, mistake
        first = await env.reset(seed=seed)
        assert first.observation.briefing and first.observation.actions and not first.done
        await all_started.wait()
        refused = await env.step(RemediumAction(name="no_such_action"))
        assert not refused.observation.ok and not refused.done
        await all_hostile.wait()
        seen = await env.step(RemediumAction(name="get_objects", input={"kind": "pods"}))
        assert seen.observation.ok and not seen.done
        end = await env.step(RemediumAction(name="submit"))
        state = await env.state()
        assert end.done and state.is_over and state.step_count == 2, state
        return {"reward": end.reward, "outcome": end.info["verdict"]["outcome"]}


async def closing_code(connection) -> int:
    """Reads until the server closes the connection, so that the client need not close it."""
    try:
        while True:
            await connection.recv()
    except ConnectionClosed as closed:
        code = closed.rcvd.code if closed.rcvd else 1006
        if code == TRY_AGAIN_LATER:
            raise
        return code


async def vanish() -> str:
    """Starts an episode and closes the connection without a message."""
    async with socket() as connection:
        await connection.send('{"type": "reset", "data": {"seed": 1}}')
        # An error would come at once; the episode may start later.
        try:
            reply = json.loads(await asyncio.wait_for(connection.recv(), 0.2))
            if reply["type"] == "error":
                await connection.recv()
        except TimeoutError:
            pass
        connection.transport.abort()
    return "vanished"


async def send_garbage() -> int:
    connection = await socket()
    for line in ["x", "{", "[" * 100_000, "\0", "[1]", '{"type": {}}'] * 30:
        try:
            await connection.send(line)
            await connection.recv()
        except ConnectionClosed:
            break
    for _ in range(30):
        try:
            await connection.send("x")
        except ConnectionClosed:
            break
    return await closing_code(connection)


async def flood() -> int:
    connection = await socket()
    try:
        for _ in range(5000):
            await connection.send('{"type": "state"}')
    except ConnectionClosed:
        pass
    return await closing_code(connection)


async def send_too_much() -> int:
    connection = await socket()
    try:
        await connection.send("x" * 5_000_000)
    except ConnectionClosed:
        pass
    return await closing_code(connection)


async def refused_without_session() -> str:
    """All sessions are taken: a further client is told so."""
    async with socket() as connection:
        reply = json.loads(await connection.recv())
        return reply["data"]["code"]


async def when_free(client):
    """Repeats a client that gets no session: that of a client that has left ends once its episode is abandoned."""
    for _ in range(600):
        try:
            return await client()
        except ConnectionClosed as closed:
            assert closed.rcvd and closed.rcvd.code == TRY_AGAIN_LATER, closed
        await asyncio.sleep(1)
    raise AssertionError("the sessions of clients that left were not freed")


async def attack(all_started: asyncio.Barrier, all_hostile: asyncio.Event) -> dict:
    """The server has one session more than there are honest clients."""
    await all_started.wait()
    async with socket():
        done = {"further client": await refused_without_session()}
    for client in (vanish, send_garbage, flood, send_too_much):
        done[client.__name__] = await when_free(client)
    all_hostile.set()
    return done


async def main() -> None:
    all_started, all_hostile = asyncio.Barrier(sessions + 1), asyncio.Event()
    hostile, *results = await asyncio.gather(
        attack(all_started, all_hostile),
        *(play(seed, all_started, all_hostile) for seed in range(sessions)),
    )
    print(json.dumps({"hostile": hostile, "episodes": results}))
    assert hostile["further client"] == "CAPACITY_REACHED"
    assert hostile["send_garbage"] == hostile["flood"] == POLICY_VIOLATION
    assert hostile["send_too_much"] in (TOO_BIG, 1006)
    assert all(result["outcome"] == "unresolved" for result in results)


asyncio.run(main())
