#!/usr/bin/env python3
"""A long run under mixed load; fails when the gateway grows or answers wrongly. python3 with nothing installed.

    bench/soak/soak.py [BUILD_DIR]         default build/release; build gantry and everything_server first

Environment: MINUTES (120), WARM_UP (minutes that do not count, 10), KILLS (servers killed in the whole run, 1000),
GANTRY (the program under test; default BUILD_DIR/gantry), OUT (samples as JSON lines; default BUILD_DIR/soak.jsonl).

Every minute the configuration is rewritten and must be in force within half a minute. Memory, descriptors, threads and
child processes of the gateway are sampled every five seconds; after the warm-up they have to stay flat: the median of the
last quarter may exceed that of the first by 5 % and 1 MB, or by 8 descriptors. Exit code 0: flat and no wrong answer.
"""

import json
import os
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gateway"))
sys.dont_write_bytecode = True

import speech  # noqa: E402
from clients import Crowd, Tally, greeting, last_message, said, unique_word  # noqa: E402
from rig import Failure, wait_for  # noqa: E402
from town import CRASHING, EXTRA, STEADY, Town  # noqa: E402

SAMPLE_EVERY, RELOAD_EVERY = 5.0, 60.0


def sample(town, began):
    pid = town.gateway.pid
    return {"at": round(time.monotonic() - began, 1), "rss_kb": town.gateway.rss_kb(),
            "descriptors": len(os.listdir(f"/proc/{pid}/fd")), "threads": len(os.listdir(f"/proc/{pid}/task")),
            "children": len(town.descendants())}


def listed(town):
    client = speech.Client(town.gateway.port)
    _, data = client.post(*speech.listing("modern"))
    client.close()
    return {tool["name"] for tool in last_message(data)["result"]["tools"]}


def ready(town):
    """Whether all steady servers are listed; false while the gateway is not up."""
    if town.gateway.process.poll() is not None:
        raise Failure("the gateway ended; see gantry.log")
    try:
        names = listed(town)
    except OSError:
        return False
    return all(server + "_greet" in names for server in STEADY)


def reload(town, tally):
    town.toggle_extra()
    try:
        wait_for("a reload", lambda: (EXTRA + "_greet" in listed(town)) == town.with_extra, seconds=30)
        tally.add("reloads")
    except Failure as error:
        tally.mistake(str(error))


def come_back(town, tally):
    """Every server that was killed must answer again once nobody kills it: breakers close, back-off ends."""
    client = speech.Client(town.gateway.port)
    for server in CRASHING:
        word = unique_word()

        def answers():
            try:
                _, data = client.post(*greeting("modern", server, word))
                return said(last_message(data)) == f"Hello, {word}!"
            except Failure:
                return False

        try:
            wait_for(f"{server} to come back", answers, seconds=120)
            tally.add("came_back")
        except Failure as error:
            tally.mistake(str(error))
    client.close()


def run(town, tally, minutes, kills, out):
    began = time.monotonic()
    end = began + minutes * 60
    next_sample, next_reload = began, began + RELOAD_EVERY
    next_kill, between_kills = began, minutes * 60 / max(kills, 1)
    samples, next_word = [], began + 60
    while (now := time.monotonic()) < end:
        if town.gateway.process.poll() is not None:
            raise Failure(f"the gateway ended with {town.gateway.process.returncode}")
        if now >= next_sample:
            samples.append(sample(town, began))
            out.write(json.dumps(samples[-1]) + "\n")
            out.flush()
            next_sample += SAMPLE_EVERY
        if now >= next_reload:
            reload(town, tally)
            next_reload += RELOAD_EVERY
        if now >= next_kill and town.kill_one():
            next_kill += between_kills
        if now >= next_word:
            print(f"soak: minute {(now - began) / 60:.0f}: {samples[-1]} {tally.counts}", flush=True)
            next_word += 60
        time.sleep(0.05)
    return samples


def is_flat(samples, warm_up):
    """The median of the last quarter against that of the first, in words; whether both figures are within bounds."""
    counted = [one for one in samples if one["at"] >= warm_up * 60]
    quarter = max(1, len(counted) // 4)
    if len(counted) < 8:
        print("soak: too short to judge whether it is flat")
        return True
    flat = True
    for what, bound in (("rss_kb", lambda first: first * 1.05 + 1024), ("descriptors", lambda first: first + 8)):
        first = statistics.median(one[what] for one in counted[:quarter])
        last = statistics.median(one[what] for one in counted[-quarter:])
        highest = max(one[what] for one in counted)
        good = last <= bound(first)
        print(f"soak: {what}: first quarter {first:.0f}, last quarter {last:.0f}, highest {highest}: {'flat' if good else 'GROWS'}")
        flat = flat and good
    return flat


def main():
    build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/release")
    minutes = float(os.environ.get("MINUTES", "120"))
    warm_up = min(float(os.environ.get("WARM_UP", "10")), minutes / 2)
    kills = int(os.environ.get("KILLS", "1000"))
    gantry = os.path.abspath(os.environ.get("GANTRY") or build + "/gantry")
    server = build + "/examples/everything_server"
    for program in (gantry, server):
        if not os.access(program, os.X_OK):
            sys.exit(f"soak: {program} is missing; run tools/build release gantry everything_server")
    work = tempfile.mkdtemp(prefix="gantry-soak-")
    town, tally = Town(gantry, server, work), Tally()
    crowd, samples, failure = Crowd(town, tally), [], None
    try:
        town.start()
        wait_for("all servers to be listed", lambda: ready(town))
        crowd.start()
        with open(os.environ.get("OUT") or build + "/soak.jsonl", "w") as out:
            samples = run(town, tally, minutes, kills, out)
        come_back(town, tally)
    except (Failure, KeyboardInterrupt) as stopped:
        failure = stopped
    finally:
        crowd.stop()
        below = town.descendants() if town.gateway else []
        town.stop()
    orphans = [pid for pid in below if os.path.exists(f"/proc/{pid}")]
    print(f"soak: {minutes:g} minutes, {town.kills} kills, {json.dumps(tally.counts)}")
    for text in tally.wrong:
        print(f"soak: WRONG: {text}")
    if orphans:
        print(f"soak: processes left behind: {orphans}")
    if failure:
        print(f"soak: {failure!r}")
    good = is_flat(samples, warm_up) and not tally.counts.get("wrong") and not orphans and not failure
    if good:
        shutil.rmtree(work, ignore_errors=True)
    else:
        print(f"soak: the gateway's log is {work}/gantry.log")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
