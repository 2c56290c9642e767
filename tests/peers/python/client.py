"""The official Python client as a real caller: connects, lists, calls, prints one line of JSON per connection.

    client.py STEPS MODE http URL [MODE stdio 'COMMAND ARGS…' …]

MODE is legacy, auto or a modern version. STEPS is JSON: a list of [tool, arguments]. Questions are answered with
{"name": "Ada", "polite": true}.
"""

import asyncio
import json
import sys

import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client


async def elicit(_context, _params):
    return types.ElicitResult(action="accept", content={"name": "Ada", "polite": True})


async def talk(steps, mode, kind, target):
    if kind == "stdio":
        command, *args = target.split(" ")
        target = stdio_client(StdioServerParameters(command=command, args=args))
    async with Client(target, mode=mode, elicitation_callback=elicit) as client:
        tools = await client.list_tools()
        results = []
        for name, arguments in steps:
            progress = []

            async def on_progress(value, _total=None, _message=None, seen=progress):
                seen.append(int(value))

            result = await client.call_tool(name, arguments, progress_callback=on_progress)
            results.append([result.content[0].text, progress])
        print(json.dumps({"tools": [tool.name for tool in tools.tools], "results": results}))


async def main(steps, *rest):
    for at in range(0, len(rest), 3):
        await talk(json.loads(steps), *rest[at : at + 3])


asyncio.run(main(*sys.argv[1:]))
