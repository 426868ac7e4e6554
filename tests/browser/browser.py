# SPDX-License-Identifier: Apache-2.0
"""Pages in a headless Chromium: what a reader sees, what the console says, what was fetched."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import axe_core_python
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
AXE = Path(axe_core_python.__file__).parent / "axe.min.js"
PATIENCE = 60  # seconds; a busy machine draws slowly

PAPER = 720
_CUT = """
const cut = [
    ...[...document.querySelectorAll('.source > span')].filter(line => line.scrollWidth > line.clientWidth + 1),
    ...[...document.querySelectorAll('main svg')].filter(drawn => drawn.getBoundingClientRect().right > arguments[0]),
    ...[...document.querySelectorAll('.wide, .chart, pre')].filter(
        part => part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX !== 'visible'),
];
return cut.map(element => element.outerHTML.slice(0, 80));
"""

_SWITCHES = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--disable-component-update", "--no-first-run", "--disable-sync"),
)


class Browser:
    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, page: Path, anchor: str = "") -> None:
        """Until every chart that is not folded is drawn or has failed."""
        self.driver.get("about:blank")
        self.log("browser"), self.log("performance")  # what earlier pages left
        self.driver.get(page.as_uri() + anchor)
        self._draw()

    def unfold(self) -> None:
        self.run("document.querySelectorAll('details').forEach(part => { part.open = true; })")
        self._draw()

    def _draw(self) -> None:
        self.run("dispatchEvent(new Event('beforeprint'))")
        undrawn = "[...document.querySelectorAll('[data-chart]:not(:has(svg)):not(.failed)')]"
        folded = f"return {undrawn}.every(chart => !chart.getClientRects().length)"
        WebDriverWait(self.driver, PATIENCE).until(lambda driver: driver.execute_script(folded))
        self.run("dispatchEvent(new Event('afterprint'))")

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def wait(self, condition: str, *arguments: object) -> None:
        """Until the expression is true: charts follow their data a moment later."""
        WebDriverWait(self.driver, PATIENCE).until(
            lambda driver: driver.execute_script(f"return {condition}", *arguments)
        )

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def texts(self, selector: str) -> list[str]:
        return [element.text for element in self.all(selector)]

    def text(self) -> str:
        return str(self.run("return document.body.innerText"))

    def log(self, kind: str) -> list[Any]:
        return list(self.driver.get_log(kind))

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self) -> list[str]:
        """Everything the page asked for, but for itself and what stands in it."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        urls = [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in urls if not url.startswith(("data:", "blob:", "file:"))]

    def axe(self) -> list[str]:
        """What axe-core finds on the page as it is: rule, and the first elements that break it."""
        if not self.run("return 'axe' in window"):
            self.run(AXE.read_text(encoding="utf-8"))
        done = self.driver.execute_async_script("axe.run(document).then(arguments[arguments.length - 1])")
        return [f"{rule['id']}: {[node['html'][:160] for node in rule['nodes'][:4]]}" for rule in done["violations"]]

    def resize(self, width: int, height: int = 900) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def dark(self, wanted: bool) -> None:
        value = "dark" if wanted else "light"
        features = [{"name": "prefers-color-scheme", "value": value}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def without_scripts(self, wanted: bool) -> None:
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": wanted})

    def printed(self) -> bytes:
        """The page as PDF, on A4."""
        paper = {"printBackground": True, "paperWidth": 8.27, "paperHeight": 11.69}
        return base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", paper)["data"])

    def cut_on_paper(self) -> list[str]:
        """Charts, tables and source lines of the open page that paper would cut. A4 with the default margins is 720 CSS
        pixels wide."""
        self.run("dispatchEvent(new Event('beforeprint'))")
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.resize(PAPER)
        try:
            return list(self.run(_CUT, PAPER))
        finally:
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

    def screenshot(self, path: Path) -> None:
        """The whole page."""
        width = self.run("return document.documentElement.clientWidth")
        self.resize(width, min(8000, self.run("return document.documentElement.scrollHeight")))
        self.driver.save_screenshot(str(path))


@contextmanager
def browser() -> Iterator[Browser]:
    options = webdriver.ChromeOptions()
    for switch in _SWITCHES:
        options.add_argument(switch)
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.set_script_timeout(PATIENCE)
    try:
        yield Browser(driver)
    finally:
        driver.quit()
