# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Target regions and leagues, which the host executes: implicit regions nested in their encountering regions, with
tasks of their own.
"""
import pytest
from cores import SMALL_STACKS, gcore
from snapshots import check_structure, has_rc
from test_oracle import agree
from test_waits import look

# The functions of the enclosing regions in programs/states.c, innermost first.
REGIONS = {
    "target": ["target_region._omp_fn.1", "target_region._omp_fn.0", None],
    "teams": ["teams_region._omp_fn.1", "teams_region._omp_fn.0", None],
    "target_teams": ["target_teams_region._omp_fn.1", "target_teams_region._omp_fn.0", None],
    "target_inside": ["target_inside._omp_fn.2", "target_inside._omp_fn.1", "target_inside._omp_fn.0", None],
}


def symbol(item):
    return None if has_rc(item["function"]) else item["function"]["symbol"]


def inside(one):
    """Return the lines of the threads in the target region, or league."""
    return [line for line in one.lines.values() if line["num_threads"] == 2]


def check(snapshot, one, what):
    agree(snapshot, one)
    assert len(inside(one)) == 2
    for line in inside(one):
        chain = [snapshot.parallel_of(line["tid"])]
        while not has_rc(chain[-1]["enclosing"]):
            chain.append(snapshot.parallels[chain[-1]["enclosing"]])
        assert len(chain) == len(REGIONS[what])
        assert [region["level"] for region in chain] == [1, 0] + list(range(len(chain) - 3, -1, -1))
        team = [chain[0]["icvs"][name]["int"] for name in ("team-num-var", "league-size-var")]
        assert team == line["league"], "omp_get_team_num() and omp_get_num_teams()"
        assert [chain[1]["icvs"][name]["int"] for name in ("team-num-var", "league-size-var")] == team
        assert [chain[-1]["icvs"][name]["int"] for name in ("team-num-var", "league-size-var")] == [0, 1]
        generators = [region["icvs"]["team-generator-var"]["value"] for region in chain]
        assert generators == ["parallel", what.replace("target_", "").replace("inside", "target"), "parallel", "program"][:len(chain) - 1] + ["program"]
        # One thread leads out of it, to the place of the construct.
        primary = chain[0]["threads"][0]
        assert chain[1]["threads"] == [primary] and primary in chain[2]["threads"]
        assert len(chain[2]["threads"]) == chain[2]["team_size"]
        # So do the tasks, whose functions are known except for the program's own.
        tasks = [snapshot.task_of(line["tid"])]
        while not has_rc(tasks[-1]["generating"]):
            tasks.append(snapshot.tasks[tasks[-1]["generating"]])
        assert [task["parallel"] for task in tasks] == [region["handle"] for region in chain]
        assert [task["kind"] for task in tasks] == ["implicit", "initial"] + ["implicit"] * (len(chain) - 3) + ["initial"]
        assert all(task["thread"] == primary for task in tasks[1:3]) and tasks[1]["scheduling"] == tasks[2]["handle"]
        if what != "target_inside":
            assert [symbol(task) for task in tasks] == REGIONS[what] == [symbol(region) for region in chain]
        else:
            assert len(set(map(symbol, tasks))) == 4 and symbol(tasks[-1]) is None


@pytest.mark.parametrize("what", REGIONS)
def test_leagues_and_targets(what, mode, program, client):
    one = program("states", what)
    check(look(client, one, mode), one, what)


@pytest.mark.parametrize("what", ["teams", "target_inside"])
def test_core(what, program, client, tmp_path):
    one = program("states", what, env=SMALL_STACKS)
    target = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    check(check_structure(client.snapshot.get(target=target)), one, what)


@pytest.mark.parametrize("what", REGIONS)
def test_logical_stacks_lead_out(what, mode, program, client):
    """Through the end of the region, and of the target region, to main()."""
    one = program("states", what)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    for line in inside(one):
        result = client.stack.get(target=target, thread=line["tid"], logical=True)
        assert result["complete"] is True, result
        items = result["frames"]
        ends = [i for i, item in enumerate(items) if item["kind"] == "parallel"]
        assert len(ends) == len(REGIONS[what]) - 1
        # Code of main() belongs to the initial task, which comes after all of them.
        functions = [item.get("function") for item in items[ends[-1]:] if item["kind"] == "user"]
        assert "main" in functions
        assert not any(item.get("function") == "main" for item in items[:ends[-1]])


@pytest.mark.parametrize("what", REGIONS)
def test_tree(what, program, ompdctl):
    text = ompdctl("-p", program("states", what).pid, "tree").stdout
    lines = [line.lstrip(" │├└─|`-") for line in text.splitlines()]
    regions = [line for line in lines if "region level" in line]
    assert len([line for line in regions if "initial region level 0" in line]) == 2, text
    assert ("team 1 of a league of" in text) == (what in ("teams", "target_teams")), text
