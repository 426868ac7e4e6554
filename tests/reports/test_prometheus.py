# SPDX-License-Identifier: Apache-2.0
"""Gauges on their way: a real Prometheus scrapes the node exporter, which reads the file, and is asked by HTTP."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from conftest import node_exporter
from jobs import job_directory
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from running import free_ports, until
from scenarios import SCENARIOS, faults_only
from test_report_recording import reports

pytestmark = pytest.mark.requires("prometheus")
Gauges = dict[tuple[tuple[str, str], ...], float]  # labels, the name among them -> value
JOBS: dict[str, dict[str, Any]] = {
    "counted_job": {"serial": [0, 4], "size": 8},
    "uncounted_job": {"serial": [], "size": 4, "build": faults_only},
}
# -> whether the remote part of its traffic is known
WHAT = {"serial_init": True, "hostile": True, "no_threads": False, "counted_job": True, "uncounted_job": False}
OF_PROMETHEUS = ("instance", "job")


class FileServer(SimpleHTTPRequestHandler):
    """Says of the file what its format wants: then Prometheus reads it by its own parser of OpenMetrics."""

    extensions_map: ClassVar = {".prom": "application/openmetrics-text; version=1.0.0; charset=utf-8"}

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served_as_file(folder: Path) -> Iterator[tuple[int, str]]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(FileServer, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], "/x.prom"
        server.shutdown()


@contextmanager
def served_by_node_exporter(folder: Path) -> Iterator[tuple[int, str]]:
    (port,) = free_ports(1)
    textfile = ["--collector.disable-defaults", "--collector.textfile", f"--collector.textfile.directory={folder}"]
    with running([str(node_exporter()), f"--web.listen-address=127.0.0.1:{port}", *textfile], folder / "exporter.log"):
        yield port, "/metrics"


SERVERS = {"exporter": served_by_node_exporter, "file": served_as_file}


@contextmanager
def running(words: list[str], log: Path) -> Iterator[None]:
    """A server of ours alone, by our user; it ends with us."""
    with log.open("wb") as out:
        server = subprocess.Popen(["setpriv", "--pdeathsig=KILL", *words], stdout=out, stderr=out, cwd=log.parent)
    try:
        yield
        assert server.poll() is None, log.read_text()
    finally:
        server.kill()
        server.wait()


@contextmanager
def scraped(targets: dict[str, tuple[int, str]], folder: Path) -> Iterator[str]:
    """The address of a Prometheus that scrapes these, each as a job of this name."""
    (port,) = free_ports(1)
    jobs = [
        {"job_name": name, "metrics_path": path, "static_configs": [{"targets": [f"127.0.0.1:{at}"]}]}
        for name, (at, path) in targets.items()
    ]
    # JSON is YAML too.
    (folder / "p.yml").write_text(json.dumps({"global": {"scrape_interval": "100ms"}, "scrape_configs": jobs}))
    words = [
        f"--config.file={folder}/p.yml",
        f"--storage.tsdb.path={folder}/data",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with running(["prometheus", *words], folder / "prometheus.log"):
        yield f"http://127.0.0.1:{port}/api/v1/query?"


def answers(address: str, query: str) -> list[Any]:
    """Empty while it starts."""
    try:
        with urlopen(address + urlencode({"query": query})) as answer:
            found: list[Any] = json.load(answer)["data"]["result"]
            return found
    except (URLError, ConnectionError):
        return []


def stored(address: str, job: str) -> Gauges:
    """All gauges of one scrape are stored together."""
    until(lambda: answers(address, f'{{__name__=~"numaprof_(recording|job)",job="{job}"}}'))
    return {
        tuple(sorted((label, text) for label, text in each["metric"].items() if label not in OF_PROMETHEUS)): float(
            each["value"][1]
        )
        for each in answers(address, f'{{__name__=~"numaprof_.*",job="{job}"}}')
    }


def told(data: str) -> Gauges:
    """What the text says. For Prometheus a label that is empty is no label."""
    samples = [each for family in text_string_to_metric_families(data) for each in family.samples]
    return {
        tuple(
            sorted((label, text) for label, text in {"__name__": each.name, **each.labels}.items() if text)
        ): each.value
        for each in samples
    }


def written(what: str, folder: Path) -> Path:
    folder.mkdir()
    if what in SCENARIOS:
        SCENARIOS[what]().write(folder / "x.numaprof")
    else:
        job_directory(folder / "x.numaprof", **JOBS[what])
    done = reports("export", "x.numaprof", "--format", "openmetrics", "-o", "x.prom", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """One for all, as it takes five seconds before its first scrape."""
    place = tmp_path_factory.mktemp("prometheus")
    folders = {what: written(what, place / what) for what in WHAT}
    with ExitStack() as stack:
        targets = {
            f"{what}/{name}": stack.enter_context(serve(folder))
            for what, folder in folders.items()
            for name, serve in SERVERS.items()
            if name != "exporter" or node_exporter()
        }
        yield stack.enter_context(scraped(targets, place)), place


@pytest.mark.parametrize("server", [pytest.param("exporter", marks=pytest.mark.requires("node_exporter")), "file"])
@pytest.mark.parametrize("what", WHAT)
def test_prometheus_answers_with_what_the_text_says(what: str, server: str, prometheus: tuple[str, Path]) -> None:
    """Each gauge with its value; what is not known has no series, so that absent() is true of it."""
    address, place = prometheus
    wanted = told((place / what / "x.prom").read_text())
    assert stored(address, f"{what}/{server}") == wanted
    ratio = "numaprof_job_remote_ratio" if what in JOBS else "numaprof_remote_ratio"
    known = WHAT[what]
    assert any(("__name__", ratio) in labels for labels in wanted) == known
    assert len(answers(address, f'absent({ratio}{{job="{what}/{server}"}})')) == (not known)
    assert not answers(address, "node_textfile_scrape_error != 0")
