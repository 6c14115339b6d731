# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where OpenMP threads spend their time: profile.start, .get and .stop."""
from conftest import fails
from targets import wait_until


def samples(client, target, least):
    """The profile, once it has so many looks."""
    def have():
        profile = client.profile.get(target=target)
        return profile if profile["profile"]["samplings"] >= least else None
    return wait_until(have, f"{least} looks")


def test_needs_a_start(program, client, mode):
    target = client.target.attach(pid=program("flat", 2).pid, mode=mode)["target"]
    with fails("no_profile"):
        client.profile.get(target=target)
    with fails("no_profile"):
        client.profile.stop(target=target)


def test_one_at_a_time(program, client, daemon, mode):
    target = client.target.attach(pid=program("flat", 2).pid, mode=mode)["target"]
    assert client.profile.start(target=target)["profile"]["recording"]
    with fails("profile_running"):
        client.profile.start(target=target)
    with daemon.connect() as other:
        assert other.profile.get(target=target)["profile"]["recording"]
        assert other.profile.stop(target=target)["profile"]["ended"] == "stopped"
    assert client.profile.stop(target=target)["profile"]["ended"] == "stopped"
    assert client.profile.start(target=target)["profile"]["samplings"] == 0


def test_times_add_up(program, client, mode):
    """Parked threads: each look sees each of them; all tables say the same time."""
    one = program("flat", 4)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    client.profile.start(target=target)
    profile = samples(client, target, 20)
    client.profile.stop(target=target)
    profile = client.profile.get(target=target, stacks=True, timeline=True)
    assert profile["total"]["threads"] == 4
    total = sum(profile["total"]["times"].values())
    assert total == sum(sum(row["times"].values()) for row in profile["regions"])
    assert total == sum(sum(row["times"].values()) for row in profile["threads"])
    assert sorted(row["tid"] for row in profile["threads"]) == sorted(one.lines)
    region = profile["regions"][0]
    assert region["level"] == 1 and region["team_size"] == 4 and region["threads"] == 4
    assert profile["profile"]["samples"] == sum(row["samples"] for row in profile["regions"])
    check_stacks(profile["stacks"])
    timeline = profile["timeline"]
    assert {row["tid"] for row in timeline["threads"]} == set(one.lines)
    for row in timeline["threads"]:
        assert len(row["t_us"]) == len(row["state"]) == len(row["region"]) > 0
        assert row["t_us"] == sorted(row["t_us"]) and row["t_us"][-1] <= timeline["end_us"]


def check_stacks(stacks):
    """The tables fit together."""
    frames, nodes = stacks["frames"], stacks["nodes"]
    assert len({len(column) for column in frames.values()}) == 1
    assert len({len(column) for column in nodes.values()}) == 1
    n_frames, n_nodes = len(frames["kind"]), len(nodes["parent"])
    assert n_nodes > 0
    assert all(-1 <= parent < i for i, parent in enumerate(nodes["parent"]))
    assert all(0 <= frame < n_frames for frame in nodes["frame"])
    assert all(0 <= text < len(stacks["strings"]) for column in ("function", "file", "module") for text in frames[column])
    # Time is in the leaves, and those are states.
    inner = set(nodes["parent"])
    assert all(frames["kind"][nodes["frame"][i]] == "state" and i not in inner for i in range(n_nodes) if nodes["self_us"][i])


def test_ends_with_its_connection(program, client, daemon):
    target = client.target.attach(pid=program("flat", 2).pid, mode="observe")["target"]
    for keep in False, True:
        with daemon.connect() as other:
            other.profile.start(target=target, keep=keep)
        if keep:
            assert client.profile.stop(target=target)["profile"]["ended"] == "stopped"
        else:
            wait_until(lambda: client.profile.get(target=target)["profile"].get("ended") == "disconnected", "its end")


def test_is_there_when_the_target_has_ended(program, client, mode):
    one = program("flat", 2)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    client.profile.start(target=target)
    before = samples(client, target, 5)
    one.close()
    wait_until(lambda: client.profile.get(target=target)["profile"].get("ended") == "exited", "the end of the profile")
    after = client.profile.get(target=target, stacks=True)
    assert after["profile"]["samples"] >= before["profile"]["samples"]
    assert after["regions"][0]["place"] == before["regions"][0]["place"]


def test_pauses_while_the_target_is_held(program, client):
    target = client.target.attach(pid=program("flat", 2).pid, mode="stop")["target"]
    client.profile.start(target=target)
    samples(client, target, 2)
    client.target.stop(target=target)
    held = client.profile.get(target=target)["profile"]
    later = wait_until(lambda: (p := client.profile.get(target=target)["profile"])["held_us"] > 50000 and p, "time passes")
    assert later["samplings"] == held["samplings"]
    client.target.resume(target=target)
    samples(client, target, held["samplings"] + 2)
