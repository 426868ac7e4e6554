# SPDX-License-Identifier: Apache-2.0
"""The HTML page in a real browser: no complaint, nothing fetched, links lead to evidence, names stay text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from browser import PATIENCE, Browser, browser
from conftest import TREE
from numaprof.compare.sides import Side
from numaprof.document.build_comparison import comparison
from numaprof.document.build_report import document
from numaprof.evidence.evidence import load
from numaprof.model import report_model as model
from numaprof.page.comparison_page import diff_page
from numaprof.page.report_page import report_page
from numaprof.text.messages import EXIT_FAILED
from recording_builder import PAGE, RAN, RecordingBuilder
from scenarios import ARRAY, LOOP, PAGES, SCENARIOS, init_stack, levels
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from test_report_recording import reports

pytestmark = pytest.mark.requires("chromium")

# Where `make pictures` leaves pictures for people to look at; make test leaves none.
PICTURES = os.environ.get("NUMAPROF_PICTURES")


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with browser() as found:
        yield found


def folder(parent: Path, name: str) -> Path:
    (parent / name).mkdir()
    return parent / name


def written(builder: RecordingBuilder, place: Path) -> Path:
    page = place / "page.html"
    page.write_text(report_page(document(str(builder.write(place / "x.numaprof")))), encoding="utf-8")
    return page


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario(scenario: str, window: Browser, tmp_path: Path) -> None:
    window.resize(1200)
    window.open(written(SCENARIOS[scenario](), tmp_path))
    assert window.complaints() == []
    assert window.requests() == []
    assert not window.all(".failed")
    assert window.texts("h1") != [""]
    if PICTURES:
        picture(window, Path(PICTURES), scenario)


def picture(window: Browser, folder: Path, name: str) -> None:
    """As readers see it: two widths, light and dark, and on paper."""
    folder.mkdir(parents=True, exist_ok=True)
    for dark in (False, True):
        for width in (1400, 800):
            window.dark(dark)
            window.resize(width)
            window.screenshot(folder / f"{name}-{width}-{'dark' if dark else 'light'}.png")
    window.dark(False)
    (folder / f"{name}.pdf").write_bytes(window.printed())


def followed(window: Browser, page: Path, links: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The text of each link, and of what it leads to."""
    for text, anchor in links:
        window.open(page, anchor)
        yield text, window.run("return document.querySelector(':target').innerText")


@pytest.mark.parametrize("width", [1200, 600, 320])
def test_nothing_sticks_out(width: int, window: Browser, tmp_path: Path) -> None:
    window.resize(width)
    for scenario in ("serial_init", "multiplexed", "hostile"):
        window.open(written(SCENARIOS[scenario](), folder(tmp_path, scenario)))
        assert window.run("return document.documentElement.scrollWidth") <= width


def test_result_of_a_trial_stands_beside_its_advice(window: Browser, tmp_path: Path) -> None:
    found = document(str(SCENARIOS["serial_init"]().write(tmp_path / "x.numaprof")))
    trial = model.Trial(
        "worth the edit", f"faster{NASTY}", 5, 5, 1.5, 0.008, 0.5, None, 0.01, (0.0, 0.02), 1.0, 4096, ()
    )
    page = tmp_path / "page.html"
    page.write_text(report_page(replace(found, advice=(replace(found.advice[0], trial=trial),))), encoding="utf-8")
    window.open(page)
    (text,) = window.texts(".tried")
    assert text.startswith("Tried: worth the edit. Faster</script>")
    assert window.text().count("worth the edit") == 1
    assert "5 runs as it is, 5 with the placement: 1.50x as fast (p = 0.008)" in text
    assert "; remote 50.0 % (error not known), then 1.0 % (0.0 % to 2.0 %); 100.0 % of 4 KiB checked" in text
    assert window.run("return window.owned") is None


def test_copy_takes_the_code_alone(window: Browser, tmp_path: Path) -> None:
    window.open(written(SCENARIOS["serial_init"](), tmp_path))
    taker = "{writeText: async (text) => { window.took = text; }}"
    window.run(f"Object.defineProperty(navigator, 'clipboard', {{value: {taker}}})")
    buttons = window.all(".advice .copy")
    assert len(buttons) == len(window.all(".advice pre")) == 2
    buttons[0].click()
    window.wait("document.querySelector('.copy').textContent === 'Copied'")
    assert window.run("return window.took").startswith("#pragma omp parallel for schedule(static)\nfor (")
    buttons[1].click()
    window.wait("window.took === 'numactl --interleave=all ./sum'")


def test_links_of_advice_lead_to_its_evidence(window: Browser, tmp_path: Path) -> None:
    window.resize(1200)
    page = written(SCENARIOS["serial_init"](), tmp_path)
    window.open(page)
    targets = window.run("return [...document.querySelectorAll('.advice a')].map(a => [a.textContent, a.hash])")
    assert [text for text, _ in targets] == [
        *("memory of sum.c:17 main (object)", "sum.c:17 main", "sum.c:22 main._omp_fn.0"),
        *("threads", "who reads where"),
    ]
    for text, found in followed(window, page, targets):
        assert text.replace(" (object)", "").lower() in found.lower(), text
        top = window.run("return document.querySelector(':target').getBoundingClientRect().top")
        assert 0 <= top < 900


def test_map_of_an_object_is_drawn(window: Browser, tmp_path: Path) -> None:
    """One look: all on node 0, used in eight blocks."""
    window.resize(1200)
    window.open(written(SCENARIOS["hinted"](), tmp_path))
    labels = "\n".join(window.texts("[data-chart=map-0] .mark-text.role-axis-label")).split("\n")
    assert labels[-10:] == ["on node", "first touched from", *(f"used by sum {tid}" for tid in range(4711, 4719))]
    stretches = "[...document.querySelectorAll('[data-chart=map-0] .mark-rect.role-mark path')]"
    fills = window.run(f"return {stretches}.map(path => path.getAttribute('fill'))")
    assert len(set(fills)) == 2
    assert fills.count(fills[0]) == len(fills) - 4


def screens(window: Browser) -> float:
    """Height of the page, in screens."""
    return float(window.run("return document.documentElement.scrollHeight / 900"))


@pytest.mark.parametrize("scenario", ["serial_init", "hinted", "named_objects", "multiplexed", "many_threads"])
def test_four_screens_before_anything_is_unfolded(scenario: str, window: Browser, tmp_path: Path) -> None:
    window.resize(1400)
    window.open(written(SCENARIOS[scenario](), tmp_path))
    assert screens(window) <= 4


def test_print_cuts_nothing(window: Browser, tmp_path: Path) -> None:
    window.resize(1400)
    window.open(written(SCENARIOS["hinted"](), tmp_path))
    assert window.cut_on_paper() == []


def test_picture_says_who_reads_whose_memory(window: Browser, tmp_path: Path) -> None:
    window.resize(1400)
    window.open(written(SCENARIOS["serial_init"](), tmp_path))
    assert window.texts(".overview .label") == ["local 524 k", "remote 524 k"]
    fills = window.run(
        "return ['.flow.local', '.flow.remote'].map(f => getComputedStyle(document.querySelector(f)).fill)"
    )
    assert fills == ["rgb(43, 108, 176)", "rgb(217, 95, 2)"]
    assert window.run("return document.querySelector('.overview').getBoundingClientRect().bottom") < 900


def test_time_without_counts_is_hatched(window: Browser, tmp_path: Path) -> None:
    window.open(written(SCENARIOS["serial_init"](), tmp_path))
    gaps = "document.querySelector('[data-chart=timeline]').view.data('gaps')"
    assert window.run(f"return {gaps}.length") == 1
    assert window.all("[data-chart=timeline] path[fill='url(#hatch)']")


def test_what_was_not_counted_of_a_thread_is_hatched(window: Browser, tmp_path: Path) -> None:
    """Never an empty bar, which would say that there were no requests. What no thread has is left out."""
    builder = SCENARIOS["serial_init"]()
    window.open(written(builder, folder(tmp_path, "whole")))
    bars = "[data-chart=threads] path[fill='url(#hatch)'][aria-roledescription=bar]"
    assert window.all(bars) == []
    builder.change(
        "count", where="thread = 6 AND event IN (SELECT id FROM event WHERE placement = 'remote_dram')", running_ns=0
    )
    window.open(written(builder, folder(tmp_path, "part")))
    assert len(window.all(bars)) == 1
    assert "counted too briefly" in window.text()


def test_most_common_kind_of_request_is_not_pale(window: Browser, tmp_path: Path) -> None:
    window.open(written(SCENARIOS["serial_init"](), tmp_path))
    data = "JSON.parse(document.getElementById('data-charts').textContent).threads.encoding.color.scale"
    scale = window.run(f"return {data}")
    colours = dict(zip(scale["domain"], scale["range"]))
    assert colours["prefetch, local"] == "#2b6cb0"
    assert colours["prefetch, remote"] == "#c2410c"


def test_first_screen_says_what_to_do(window: Browser, tmp_path: Path) -> None:
    """Verdict, number, coverage and the change, before anything is scrolled, on a telephone too."""
    page = written(SCENARIOS["multiplexed"](), tmp_path)
    for width in (1280, 480):
        window.resize(width)
        window.open(page)
        top = window.texts(".verdict")[0]
        for words in (
            "50.0 %",
            "Worth fixing",
            "Counted 33 % of the time",
            "Let each thread write first to the part that it uses later, instead of the first writes at sum.c:17.",
        ):
            assert words in top
        assert window.run("return document.querySelector('.verdict').getBoundingClientRect().bottom") < 900


def test_what_no_object_explains(window: Browser, tmp_path: Path) -> None:
    window.open(written(SCENARIOS["many_threads"](), tmp_path))
    assert "No object explains this. Start at the 25 threads of 200 with 10 % remote or more." in window.text()
    assert window.texts("h2")[:2] == ["Who reads whose memory", "What to do"]


def test_map_of_what_advice_speaks_of_comes_first(window: Browser, tmp_path: Path) -> None:
    """Not that of what one sample found to be remote."""
    builder = SCENARIOS["hinted"]()
    chance = builder.block(builder.object("static", name="chance"), ARRAY + (1 << 32), 1)
    builder.hints(builder.stack(builder.place(LOOP)), 8, [ARRAY + (1 << 32)], page_node=0, block=chance)
    window.open(written(builder, tmp_path))
    assert [text.split(" 32 MiB")[0] for text in window.texts(".object h3, .object > summary")] == [
        "memory of sum.c:17 main"
    ]
    window.unfold()
    shares = window.run("return [...document.querySelectorAll('td.quiet')].map(td => td.parentElement.innerText)")
    assert any(text.startswith("chance") and "100.0 %" in text for text in shares)


def test_lines_of_objects_are_linked(window: Browser, tmp_path: Path) -> None:
    """Also those where nothing but the allocation happens."""
    page = written(SCENARIOS["named_objects"](), tmp_path)
    window.open(page)
    links = window.run("return [...document.querySelectorAll('#object-0 .rests a')].map(a => [a.textContent, a.hash])")
    assert [text for text, _ in links] == [
        *("allocated at sum.c:14 main", "first touched at sum.c:17 main", "used at sum.c:22 main._omp_fn.0")
    ]
    for text, found in followed(window, page, links):
        assert text.partition(" at ")[2] in found


def test_an_attached_recording(window: Browser, tmp_path: Path) -> None:
    """What it does not know, and which process uses which node."""
    window.open(written(SCENARIOS["attached_server"](), tmp_path))
    shown = window.run("return document.body.innerText")
    assert "ATTACHED to process 4711, 15 min 0 s after it started" in shown
    window.unfold()
    of_buffers = window.run("return document.querySelector('#object-0').innerText")
    assert "anonymous shared memory" in of_buffers
    assert "placed before attaching: first touch not seen" in of_buffers
    assert "postgres 4804, 4805, 4806, 4807 on node 1 use node 0" in of_buffers


def test_every_link_within_the_page_has_a_target(tmp_path: Path) -> None:
    for scenario in SCENARIOS:
        text = report_page(document(str(SCENARIOS[scenario]().write(tmp_path / scenario)))).partition("<script")[0]
        ids = re.findall(r'\bid="([^"]+)"', text)
        assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)
        assert len(ids) == len(set(ids))


def test_tables_sort_by_any_column(window: Browser, tmp_path: Path) -> None:
    window.open(written(SCENARIOS["multiplexed"](), tmp_path))
    window.unfold()
    column = (
        "return [...document.querySelectorAll('#thread-table tbody tr')].map(row => row.cells[arguments[0]].innerText)"
    )
    heads = window.texts("#thread-table thead th")
    remote = next(at for at, head in enumerate(heads) if head.startswith("remote"))
    assert window.run(column, remote) == ["0 %±?"] * 4 + ["100 %±?"] * 4
    click = "document.querySelectorAll('#thread-table thead th')[arguments[0]].querySelector('button').click()"
    window.run(click, remote)
    assert window.run(column, remote) == ["100 %±?"] * 4 + ["0 %±?"] * 4
    assert window.run("return document.querySelector('[aria-sort]').ariaSort") == "descending"
    window.run(click, remote)
    assert window.run(column, remote) == ["0 %±?"] * 4 + ["100 %±?"] * 4


def test_numbers_sort_as_numbers(window: Browser, tmp_path: Path) -> None:
    window.open(written(SCENARIOS["many_threads"](), tmp_path))
    window.run(FIRST_HEAD)
    assert first_column(window, 200) == sorted(range(200), reverse=True)


FIRST_HEAD = "document.querySelector('#thread-table thead th button').click()"
FIRST_COLUMN = "[...document.querySelectorAll('#thread-table tbody tr')].map(row => Number(row.cells[0].dataset.sort))"


def first_column(window: Browser, rows: int) -> list[int]:
    """Once all rows are there: the page lays them out piece by piece."""
    WebDriverWait(window.driver, PATIENCE).until(
        lambda driver: driver.execute_script(f"return {FIRST_COLUMN}.length === {rows}")
    )
    return list(window.run(f"return {FIRST_COLUMN}"))


def test_more_rows_than_are_laid_out_at_once(window: Browser, tmp_path: Path) -> None:
    window.open(written(SCENARIOS["many_threads"](600), tmp_path))
    window.run(f"{FIRST_HEAD}; {FIRST_HEAD}")
    assert first_column(window, 600) == sorted(range(600))
    window.run(f"{FIRST_HEAD}; dispatchEvent(new Event('beforeprint'))")
    assert window.run(f"return {FIRST_COLUMN}") == sorted(range(600), reverse=True)


CHOOSE = """
const form = document.querySelector('.filter');
for (const [name, value] of Object.entries(arguments[0])) form[name].value = value;
form.dispatchEvent(new Event('input'));
"""


def drawn(chart: str, data: str) -> str:
    return f"document.querySelector('[data-chart={chart}]').view.data('{data}')"


def test_time_line_of_one_thread(window: Browser, tmp_path: Path) -> None:
    window.resize(1200)
    window.open(written(SCENARIOS["serial_init"](), tmp_path))
    sides = f"{drawn('timeline', 'rates')}.filter(row => row.rate > 0).map(row => row.placement)"
    assert set(window.run(f"return {sides}")) == {"local", "remote"}
    window.run(CHOOSE, {"thread": "8"})
    window.wait(f"[...new Set({sides})].join() === 'remote'")


def test_whole_page_follows_the_filter(window: Browser, tmp_path: Path) -> None:
    window.resize(1200)
    window.open(written(SCENARIOS["named_objects"](), tmp_path))
    window.unfold()
    whole = (
        f"{drawn('flame', 'frames')}.filter(row => row.depth === 0).reduce((sum, row) => sum + row.share, 0) > 0.999"
    )
    clear = (
        "return [...document.querySelectorAll(arguments[0])].filter(e => !e.matches('.faded')).map(e => e.innerText)"
    )
    every = len(window.run(clear, "tr[data-object]"))
    window.wait(whole)
    window.run(CHOOSE, {"thread": "8"})
    assert len(window.run(clear, "tr[data-thread]")) == 1
    window.wait(f"{drawn('threads', 'requests')}.every(row => row.id === 8)")
    assert window.texts(".filter output")[0].endswith("remote accesses sampled")
    window.run(CHOOSE, {"thread": "", "object": "0"})
    assert [text.split()[0] for text in window.run(clear, "tr[data-object]")] == ["sum.c:14"]
    window.run(CHOOSE, {"object": "", "from": "100"})
    window.wait(f"{drawn('timeline', 'rates')}.every(row => row.until === 0)")
    window.wait(f"{drawn('flame', 'frames')}.length === 0")
    window.run("document.querySelector('.filter').reset()")
    window.wait(whole)
    assert len(window.run(clear, "tr[data-object]")) == every
    assert window.complaints() == []


LOOK = """
const field = document.getElementById('search');
field.value = arguments[0];
field.dispatchEvent(new Event('input'));
"""


def test_flame_graph_finds_functions(window: Browser, tmp_path: Path) -> None:
    window.open(written(SCENARIOS["named_objects"](), tmp_path))
    window.unfold()
    window.run(LOOK, "LOOK_UP")
    assert window.texts("#matches") == ["20.0 % of these"]
    paths = "[...document.querySelectorAll('[data-chart=flame] .mark-rect path')]"
    window.wait(f"{paths}.filter(path => path.getAttribute('fill') === '#d95f02').length === 1")


def test_phases_and_measurements_are_shown(window: Browser, tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]().change("window", end_ns=RAN // 4, cause="mark")
    builder.row("window", start_ns=RAN // 2, end_ns=RAN, cause="control")
    builder.row("distance", from_node=1, to_node=0, firmware=21, latency_ns=140.5, read_bytes_per_s=2e10)
    window.open(written(builder, tmp_path))
    window.unfold()
    assert window.complaints() == []
    phases = "return document.querySelector('[data-chart=timeline]').view.data('phases').map(row => row.cause)"
    assert window.run(phases) == ["mark", "control"]
    assert "Recorded only (grey): 0 ns to 12.5 ms (mark), 25.0 ms to 50.0 ms (control)." in window.text()
    cells = "return document.querySelector('[data-chart=matrix]').view.data('pairs').map(row => row.far)"
    assert "140 ns" in window.run(cells)
    assert "140 ns" in window.text()
    assert "20.0 GB/s" in window.text()


def test_all_text_and_tables_are_there_without_scripts(window: Browser, tmp_path: Path) -> None:
    page, long = (
        written(SCENARIOS[scenario](), folder(tmp_path, scenario)) for scenario in ("serial_init", "many_threads")
    )
    window.without_scripts(True)
    try:
        window.driver.get(long.as_uri())
        assert len(window.all("#thread-table tbody tr")) == 200
        window.driver.get(page.as_uri())
        assert len(window.all("#thread-table tbody tr")) == 8
        assert any("The chart needs JavaScript" in text for text in window.texts("noscript p"))
        assert not any(element.is_displayed() for element in window.all("button, select, .sorting"))
    finally:
        window.without_scripts(False)


def test_keyboard_reaches_everything_that_acts(window: Browser, tmp_path: Path) -> None:
    window.open(written(SCENARIOS["serial_init"](), tmp_path))
    unreachable = (
        "return [...document.querySelectorAll('button, a, select, summary')].filter(e => e.tabIndex < 0).length"
    )
    assert window.run(unreachable) == 0
    wider = "[...document.querySelectorAll('.wide, pre')].filter(e => e.scrollWidth > e.clientWidth)"
    assert window.run(f"return {wider}.filter(e => e.tabIndex < 0).length") == 0


def test_keys_do_what_clicks_do(window: Browser, tmp_path: Path) -> None:
    window.open(written(SCENARIOS["serial_init"](), tmp_path))
    focused = window.driver.switch_to.active_element
    focused.send_keys(Keys.TAB)
    assert window.driver.switch_to.active_element.text == "Skip to the verdict"
    window.unfold()
    heading = window.all("#thread-table thead button")[0]
    heading.send_keys(Keys.ENTER)
    assert window.run("return document.querySelector('#thread-table th').ariaSort") == "descending"
    heading.send_keys(Keys.SPACE)
    assert window.run("return document.querySelector('#thread-table th').ariaSort") == "ascending"
    summary = window.all(".object summary")[0]
    summary.send_keys(Keys.ENTER)
    assert window.run("return document.querySelector('.object details').open") is False


def test_what_a_screen_reader_needs(window: Browser, tmp_path: Path) -> None:
    window.open(written(SCENARIOS["serial_init"](), tmp_path))
    assert window.run("return document.documentElement.lang") == "en"
    assert len(window.all("h1")) == 1
    assert window.run(
        "return [...document.querySelectorAll('table')].every(t => t.caption && t.caption.textContent.trim())"
    )
    named = "[c, c.firstElementChild].some(e => e.role === 'img' && e.ariaLabel)"
    assert window.run(f"return [...document.querySelectorAll('.chart')].every(c => {named})")
    assert window.run("return [...document.querySelectorAll('th')].every(th => th.scope)")
    levels = window.run("return [...document.querySelectorAll('h1,h2,h3')].map(h => Number(h.tagName[1]))")
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:]))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("scenario", ["multiplexed", "named_objects", "faults_only", "attached_server"])
def test_axe_finds_nothing(scenario: str, dark: bool, window: Browser, tmp_path: Path) -> None:
    window.dark(dark)
    try:
        window.resize(1200)
        window.open(written(SCENARIOS[scenario](), tmp_path))
        assert window.axe() == []
        window.unfold()
        assert window.axe() == []
    finally:
        window.dark(False)


CONTRAST = (Path(__file__).parent / "contrast.js").read_text()


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_its_ground(dark: bool, window: Browser, tmp_path: Path) -> None:
    window.dark(dark)
    try:
        window.open(written(SCENARIOS["multiplexed"](), tmp_path))
        assert window.run(CONTRAST) == []
    finally:
        window.dark(False)


NASTY = (
    "</script><script>window.owned=1</script><img src=x onerror=window.owned=1>"
    "'\"`${window.owned=1}{{7*7}}<!--\x1b]0;x\x07\u202e"
)


def test_hostile_names_stay_text(window: Browser, tmp_path: Path) -> None:
    """Of thread, function, file, module, command, host, machine, note, in every place where a page names them."""
    builder = SCENARIOS["serial_init"](emulated=NASTY, host=NASTY, cwd=NASTY, kernel=NASTY, cpu_name=NASTY, uarch=NASTY)
    builder.note(NASTY, NASTY, remedy=NASTY).change("thread", name=NASTY).change("run", command=NASTY, program=NASTY)
    builder.change("place", function=NASTY, file=f"/x/{NASTY}.c", module=NASTY).change("evidence", detail=NASTY)
    page = written(builder, tmp_path)
    window.open(page)
    window.unfold()
    assert window.complaints() == []
    assert window.requests() == []
    assert not window.all(".failed")
    assert window.run("return window.owned") is None
    assert not window.all("body img")
    text = window.text()
    assert "</script><script>" in text
    assert "{{7*7}}" in text
    assert "\u202e" not in page.read_text()
    assert "\x1b" not in page.read_text()


def test_small_enough(tmp_path: Path) -> None:
    for scenario in ("serial_init", "hinted"):
        assert written(SCENARIOS[scenario](), folder(tmp_path, scenario)).stat().st_size < 2 << 20


# Comparisons


def compared(before: RecordingBuilder, after: RecordingBuilder, folder: Path) -> Path:
    sides = [Side((load(str(builder.write(folder / f"{at}.numaprof"))),)) for at, builder in enumerate((before, after))]
    page = folder / "diff.html"
    page.write_text(diff_page(comparison(*sides)), encoding="utf-8")
    return page


@pytest.mark.parametrize(
    "scenarios", [("serial_init", "parallel_init"), ("hinted", "parallel_init"), ("no_threads",) * 2]
)
def test_page_of_a_comparison(scenarios: tuple[str, str], window: Browser, tmp_path: Path) -> None:
    window.resize(1200)
    before, after = (SCENARIOS[scenario]() for scenario in scenarios)
    window.open(compared(before, after, tmp_path))
    assert window.complaints() == []
    assert window.requests() == []
    assert not window.all(".failed")
    assert window.run(CONTRAST) == []
    if PICTURES:
        picture(window, Path(PICTURES), "diff-" + scenarios[0])


def test_comparison_says_what_got_better_and_by_how_much(window: Browser, tmp_path: Path) -> None:
    window.open(compared(SCENARIOS["serial_init"](), SCENARIOS["parallel_init"](), tmp_path))
    window.unfold()
    assert window.texts(".big")[0].startswith("Better")
    assert "fell from 50.0 % to 0.6 %" in window.texts("h1")[0]
    assert "one run each cannot tell a difference from noise" in window.text()
    assert window.texts(".better") == ["better"] * 5
    assert window.texts(".worse") == []  # the thread at the border is within the variation between runs


def test_time_without_counts_is_hatched_in_comparisons(window: Browser, tmp_path: Path) -> None:
    window.open(compared(SCENARIOS["serial_init"](), SCENARIOS["parallel_init"](), tmp_path))
    assert len(window.all("[data-chart=diff-timeline] path[fill='url(#hatch)']")) == 2


def test_objects_that_moved_stand_first(window: Browser, tmp_path: Path) -> None:
    """Half of 32 MiB is on node 1 now. So is a page that another line touches: it is folded."""

    def touched(node: int) -> RecordingBuilder:
        builder = levels(RecordingBuilder(), counters=False).threads(8)
        half = PAGES // 2 * PAGE
        for start, place in ((ARRAY, 0), (ARRAY + half, node)):
            builder.touch(init_stack(builder), 1, start, PAGES // 2, page_node=place)
        return builder.touch(builder.stack(builder.place(LOOP)), 1, ARRAY + 4 * half, 1, page_node=node)

    window.open(compared(touched(0), touched(1), tmp_path))
    (row,) = window.texts("section[aria-labelledby=objects] > .wide tbody tr")
    assert row == "memory of sum.c:17 main 16 MiB node 0 node 0 50 %, node 1 50 % n/a n/a"
    assert "Objects that changed little or not: 1" in window.text()


def test_hostile_names_stay_text_in_comparisons(window: Browser, tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"](host=NASTY, command=NASTY)
    builder.change("thread", name=NASTY).change("place", function=NASTY, file=f"/x/{NASTY}.c", module=NASTY)
    window.open(compared(builder, SCENARIOS["parallel_init"](), tmp_path))
    assert window.complaints() == []
    assert window.run("return window.owned") is None
    assert "</script><script>" in window.text()


# The command


def test_page_by_command(tmp_path: Path) -> None:
    path = SCENARIOS["serial_init"]().write(tmp_path / "x.numaprof")
    done = reports("report", path, "--html", tmp_path / "out.html")
    assert done.returncode == 0
    assert done.stdout == ""
    assert (tmp_path / "out.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "out.html").stat().st_mode & 0o777 == 0o666 & ~umask()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_open_runs_the_browser_of_the_user(tmp_path: Path) -> None:
    path = SCENARIOS["serial_init"]().write(tmp_path / "x.numaprof")
    opener = tmp_path / "opener"
    opener.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    opener.chmod(0o755)
    environment = {**os.environ, "BROWSER": str(opener)}
    done = reports("report", path, "--html", tmp_path / "out.html", "--open", env=environment)
    assert done.returncode == 0
    assert (tmp_path / "opened").read_text().strip() == (tmp_path / "out.html").as_uri()


def test_no_browser_to_open_it_with(tmp_path: Path) -> None:
    path = SCENARIOS["serial_init"]().write(tmp_path / "x.numaprof")
    environment = {"PATH": "/nonexistent", "BROWSER": "/nonexistent/browser"}
    done = reports("report", path, "--html", tmp_path / "out.html", "--open", env=environment)
    assert done.returncode == EXIT_FAILED
    assert "open the file by hand" in done.stderr
    assert (tmp_path / "out.html").exists()


def test_no_third_party_file_is_part_of_the_tree() -> None:
    assert all(path.stat().st_size < 64 << 10 for path in (TREE / "reports" / "numaprof").rglob("*.js"))
