"""A FastMCP server with one of everything: `fast_server.py` on stdio, `fast_server.py PORT` over HTTP."""

import sys
from dataclasses import dataclass

from fastmcp import Context, FastMCP

mcp = FastMCP("fast")


@dataclass
class Named:
    name: str


@mcp.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@mcp.tool
def fail() -> str:
    raise ValueError("no luck")


@mcp.tool
async def count(to: int, ctx: Context) -> str:
    for step in range(1, to + 1):
        await ctx.report_progress(step, to)
    return f"counted to {to}"


@mcp.tool
async def ask_name(ctx: Context) -> str:
    """Asks for a name in the middle of the call, as FastMCP servers do."""
    answer = await ctx.elicit("What is your name?", response_type=Named)
    return f"Hello, {answer.data.name}"


@mcp.resource("demo://motto")
def motto() -> str:
    return "slow and steady"


@mcp.resource("demo://square/{n}")
def square(n: int) -> str:
    return str(n * n)


@mcp.prompt
def review(language: str) -> str:
    return f"Please review this {language} code."


if len(sys.argv) > 1:
    mcp.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
else:
    mcp.run(show_banner=False)
