# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Follow the documents on a new Debian system: from the sources, and with the packages only."""
import os
import pathlib
import re

import clean_system
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RELEASES = ("bookworm", "trixie")
# Seconds for a command that serves until ^C.
SERVES = 8

pytestmark = pytest.mark.skipif(bool(clean_system.missing()), reason=str(clean_system.missing()))


def blocks(text):
    return re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)


def section(title):
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def with_demo(block, demo, core="/tmp/core"):
    """Return a script that runs a block of commands on a running demo, as the user types them."""
    # The daemon of a block ends with the script.
    block = re.sub(r"^(\S*ompdd) &.*$", r"\1 & daemon=$!; sleep 3", block, flags=re.M)
    block = block.replace("--core FILE", f"--core {core}")
    block = re.sub(r"\bPID\b", "$demo", block)
    return f"""set -eu
{demo} > /tmp/started & demo=$!
trap 'kill $demo ${{daemon:-}} 2> /dev/null; rm -f /tmp/started' EXIT
until [ -s /tmp/started ]; do sleep 0.1; done
sleep 1
{'gcore -o /tmp/core $demo > /dev/null 2>&1; mv /tmp/core.$demo ' + core if core in block else ''}
{block}"""


@pytest.fixture(scope="module", params=RELEASES)
def built(request):
    """The system in which README's first command was typed."""
    system = clean_system.CleanSystem(os.environ["OMPDD_STOCK_DIR"], request.param, "readme")
    system.give(ROOT, "/root/ompdd")
    (command,) = blocks(section("Install"))
    system.install = system.run(f"cd /root/ompdd && {command}").stdout
    return system


def test_the_first_command_shows_the_demo(built):
    assert "$ ompdctl -p" in built.install and "parallel region level 2, team of 3" in built.install


def test_what_readme_says_about_the_installation(built):
    built.run("cd /root/ompdd && cmake --install build && hash -r && ompdctl --version && ompdctl ps")
    assert built.path("/usr/local/share/man/man1/ompdctl.1").exists()
    built.run("cd /root/ompdd/build && cpack -G DEB")
    assert {path.name.split("_")[0] for path in built.path("/root/ompdd/build").glob("*.deb")} == {"ompdd", "libompd", "libompdd-client0", "libompdd-client-dev", "ompdd-runtime", "python3-ompdd"}


@pytest.mark.parametrize("title", ["My program hangs", "My program is slow", "From scripts"])
def test_commands_of_readme(built, title):
    # A user has these programs.
    built.run("apt-get install -y --no-install-recommends curl gdb netcat-openbsd")
    for block in blocks(section(title)):
        assert built.run("cd /root/ompdd\n" + with_demo(block, "build/bin/demo")).stdout


def test_the_page(built):
    page = with_demo(f"timeout {SERVES} build/bin/ompdctl page PID || [ $? = 124 ]", "build/bin/demo")
    assert "http://127.0.0.1:" in built.run(f"cd /root/ompdd\n{page}").stdout


@pytest.fixture(scope="module")
def packaged(built):
    """A second system, with the packages and what a user of OpenMP has: the runtime and a program."""
    system = clean_system.CleanSystem(os.environ["OMPDD_STOCK_DIR"], built.base.name, "packages")
    folder = system.path("/srv/given")
    folder.mkdir(parents=True)
    for path in [*built.path("/root/ompdd/build").glob("*.deb"), built.path("/root/ompdd/build/bin/demo")]:
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "demo").chmod(0o755)
    system.run("apt-get update && apt-get install -y --no-install-recommends /srv/given/*.deb libgomp1 && useradd --create-home alice")
    return system


def test_what_the_packages_set_up(packaged):
    assert packaged.run("getent group ompdd").stdout.startswith("ompdd:")
    assert "/etc/ompdd/ompdd.conf" in packaged.run("dpkg-query --show --showformat '${Conffiles}' ompdd").stdout
    packaged.run("ompdd --config /etc/ompdd/ompdd.conf --check-config")
    version = packaged.run("python3 -c 'import importlib.metadata, ompdd; print(importlib.metadata.version(\"ompdd\"))'").stdout.strip()
    assert packaged.run("ompdctl --version").stdout.split()[1] == version


# Blocks that need more than this system, and the test that runs them.
RUN_ELSEWHERE = {
    "--job": "the preset cluster", "clush": "the preset cluster", "mpirun": "the preset cluster",
    "apt-get": "the first command above", "./solver": "a program of the reader: test_timeout.py", "pytest": "test_timeout.py",
    "--core FILE": "test_commands_of_readme", "libompdd-client": "test_client_library.py",
}


# Packages of the programs that a block calls beside ompdd's.
NEEDED = {"curl": "curl", "nc -": "netcat-openbsd", "gdb -": "gdb"}


def documented():
    names = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "runtime" / "README.md"]
    for path in names:
        name = path.relative_to(ROOT)
        for number in range(len(blocks(path.read_text(encoding="utf-8")))):
            yield pytest.param(str(name), number, id=f"{name}-{number}")


@pytest.mark.parametrize("name,number", documented())
def test_commands_of_the_installed_documents(packaged, name, number):
    """As a user without /run/user, like after su or in a batch job."""
    block = blocks(packaged.path(f"/usr/share/doc/ompdd/{name}").read_text(encoding="utf-8"))[number]
    elsewhere = [why for word, why in RUN_ELSEWHERE.items() if word in block]
    if elsewhere:
        pytest.skip(f"run by {elsewhere[0]}")
    login = ""
    for word, package in NEEDED.items():
        if word in block:
            packaged.run(f"apt-get install -y --no-install-recommends {package}")
    if "XDG_RUNTIME_DIR" in block:
        login = "export XDG_RUNTIME_DIR=$HOME/run; mkdir -p -m 700 $XDG_RUNTIME_DIR\n"
    block = re.sub(r"^(ompdctl page.*?)(#.*)?$", rf"timeout {SERVES} \1 || [ $? = 124 ]", block, flags=re.M)
    block = block.replace("./demo", "/srv/given/demo")
    assert packaged.run(f"cd\n{login}" + with_demo(block, "/srv/given/demo"), user="alice").stdout
