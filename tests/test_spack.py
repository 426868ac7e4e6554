# SPDX-License-Identifier: Apache-2.0
"""The Spack recipe names the build's own targets, settings, libraries and Python packages. Spack itself is not run."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

from conftest import TREE

FOLDER = TREE / "packaging" / "spack"
RECIPE = ast.parse((FOLDER / "packages" / "numaprof" / "package.py").read_text())
# Names that Spack gives the libraries of -lNAME.
LIBRARIES = {"dw": "elfutils", "elf": "elfutils", "sqlite3": "sqlite", "z": "zlib-api", "lzma": "xz", "bz2": "bzip2"}


def called(name: str) -> list[str]:
    calls = [node for node in ast.walk(RECIPE) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return [call.args[0].value for call in calls if call.func.id == name]  # type: ignore[attr-defined]


def returned(name: str) -> list[str]:
    """The texts in what a property returns; of formatted ones, the beginning."""
    (function,) = [node for node in ast.walk(RECIPE) if isinstance(node, ast.FunctionDef) and node.name == name]
    return [node.value for node in ast.walk(function) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def test_python_packages_are_those_of_the_reports() -> None:
    text = (TREE / "reports" / "pyproject.toml").read_text()
    assert called("version") == re.findall(r'^version = "(.*)"', text, re.MULTILINE)
    (listed,) = re.findall(r"^dependencies = \[(.*?)\]", text, re.MULTILINE | re.DOTALL)
    wanted = {f"py-{name}@{version}:" for name, version in re.findall(r'"([\w-]+)>=([\d.]+)"', listed)}
    (python,) = re.findall(r'^requires-python = ">=([\d.]+)"', text, re.MULTILINE)
    found = set(called("depends_on"))
    assert {name for name in found if name.startswith("py")} == wanted | {f"python@{python}:"}


def test_libraries_are_those_that_the_program_is_linked_with() -> None:
    makefiles = (TREE / "Makefile").read_text() + (TREE / "mk" / "program.mk").read_text()
    wanted = {LIBRARIES[name] for name in re.findall(r"-l(\w+)", makefiles) if name in LIBRARIES}
    found = {name for name in called("depends_on") if not name.startswith("py")}
    assert found == wanted | {"libpfm4", "c"}  # libpfm4: numaprof loads it when it needs it


def test_targets_and_settings_exist() -> None:
    targets = [returned("build_targets")[-1], returned("install_targets")[-1]]
    assert targets == ["all", "install"]
    listed = subprocess.run(["make", "-pnq", "-C", TREE], capture_output=True, text=True, check=False).stdout
    assert all(re.search(rf"^{target}:", listed, re.MULTILINE) for target in targets)
    settings = {text.split("=")[0] for text in returned("settings") if "=" in text}
    sources = "".join(file.read_text() for file in [TREE / "Makefile", *sorted(Path(TREE / "mk").glob("*.mk"))])
    assert settings == {"PACKAGES", "SYSTEM_PYTHON", "PREFIX"}
    assert all(name in sources for name in settings - {"PACKAGES"})


def test_packages_none_asks_for_none() -> None:
    command = [
        "env",
        "PACKAGES=none",
        "PATH=/usr/bin:/bin",
        TREE / "mk" / "packages",
        "build",
        "lab",
        "nothing-of-this",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_reports_are_installed_with_packages_of_a_folder(tmp_path: Path) -> None:
    """As Spack gives them: numaprof itself and what draws charts are not among them."""
    packages, installed = tmp_path / "packages", tmp_path / "installed"
    packages.mkdir()
    (site,) = (TREE / "build" / "venv").glob("lib/python3*/site-packages")
    for file in site.iterdir():
        if file.name.lower().startswith(("jinja2", "markupsafe", "google", "protobuf", "prometheus_client")):
            (packages / file.name).symlink_to(file)
    python = Path(sys._base_executable)  # type: ignore[attr-defined]
    environment = {**os.environ, "PYTHONPATH": f"{packages}:{TREE / 'reports'}"}
    subprocess.run([python, TREE / "mk" / "install-reports", installed], env=environment, check=True)
    for package in ("numaprof", "jinja2", "markupsafe", "google/protobuf", "prometheus_client"):
        assert (installed / "python" / package / "__init__.py").exists(), package
    done = subprocess.run([installed / "numaprof-reports", "report", "--help"], capture_output=True, check=False)
    assert done.returncode == 0 and b"usage" in done.stdout
