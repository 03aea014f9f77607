"""A program of its own: who is known by a user id has one memory in all sessions and on all devices."""

import sys

import anyio

from ovos_memory_bus.client import AsyncMemoryClient

ALICE = {"session_id": "default", "user_id": "alice", "auth_level": 3}


async def main(url: str) -> None:
    async with AsyncMemoryClient(url, session=ALICE) as memory:
        await memory.update(
            [
                {"role": "user", "content": "I parked the car in the Rue Haute"},
                {"role": "assistant", "content": "I will remember that."},
            ]
        )
        answer = await memory.context("where is my car?")
        for message in answer.messages:
            print(f"{message.role}: {message.content}")
        async for item in memory.iter_memories(order="asc"):
            print(item.created_at, item.content)


if __name__ == "__main__":
    anyio.run(main, sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:8181/core")
