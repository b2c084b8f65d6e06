"""The studio as its author sees it: typed, mended, played, counted, saved, in real Chromium; nobody is shut out."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rulelang import load
from tests.studio.browsers import PRICE, find, studio, write_and_play
from tests.web.browsers import ARGUMENTS, CHROMIUM

pytestmark = pytest.mark.soak
EDITOR = Path(__file__).resolve().parents[2] / "editors" / "studio"


@pytest.mark.parametrize(("width", "height", "scheme"), [(1440, 900, "light"), (1024, 768, "dark")])
def test_an_author_changes_a_game(width: int, height: int, scheme: str, tmp_path: Path) -> None:
    """A figure is changed and played; a slip is found and mended; the text is saved, and then a variant of it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`")
    axe = pytest.importorskip("axe_playwright_python", reason="needs the extra `browser`")
    script = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    faults: list[str] = []
    with studio(tmp_path / "reco") as link, playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page: Any = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: None if "//127.0.0.1:" in request.url else faults.append(request.url))
        write_and_play(page, link)
        assert "won[" in page.locator("#difference").inner_text()
        find(page, "move top of rewards")
        page.keyboard.insert_text("mve top of rewards")
        page.click("#tab-findings")
        page.locator("#findings li").filter(has_text="mve").get_by_role("button", name="Mend").click()
        page.locator("#findings").filter(has_text="Nothing is wrong.").wait_for()
        for tab in ("findings", "scenarios", "choices", "numbers"):
            page.click(f"#tab-{tab}")
            found = audit(page, script)
            assert not found, (tab, found)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert f"{PRICE}4" in (tmp_path / "reco" / "reco.rule").read_text("utf-8")
        page.click("#save")
        page.locator("#save", has_text="Saved").wait_for()
        assert f"{PRICE}3" in (tmp_path / "reco" / "reco.rule").read_text("utf-8")
        find(page, f"{PRICE}3")
        page.keyboard.insert_text(f"{PRICE}2")
        page.wait_for_selector("#vary:not([disabled])")
        page.click("#vary")
        page.locator("#ask input").fill("cheap")
        page.locator("#ask").get_by_role("button", name="Make it").click()
        page.locator("#playing option:checked", has_text="cheap").wait_for(state="attached")
        browser.close()
    assert load(tmp_path / "reco" / "variants" / "cheap").name == "cheap"
    assert faults == []


def audit(page: Any, script: str) -> list[Any]:
    """What axe finds in the page; that of the table in its frame is tested elsewhere."""
    run = """async (script) => {
      const axe = new Function(`${script}; return axe;`)();
      return (await axe.run({ exclude: [['#frame']] })).violations.map((one) => [one.id, one.nodes[0].html]);
    }"""
    own = page.context.new_cdp_session(page)
    own.send("Page.setBypassCSP", {"enabled": True})
    found: list[Any] = page.evaluate(run, script)
    return found


@pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm")
def test_the_bundle_is_what_its_source_builds_to(tmp_path: Path) -> None:
    """Byte for byte, by the versions of the lock file; it is small, and what it is made of is free for all."""
    bundle = EDITOR.parents[1] / "rulelang" / "studio" / "static" / "studio.js"
    folder = Path(
        shutil.copytree(EDITOR, tmp_path / "editors" / "studio", ignore=shutil.ignore_patterns("node_modules"))
    )
    (tmp_path / "rulelang" / "studio" / "static").mkdir(parents=True)
    for step in (["npm", "ci", "--no-audit", "--no-fund"], ["npm", "run", "build"]):
        subprocess.run(step, cwd=folder, check=True, capture_output=True)
    built = tmp_path / "rulelang" / "studio" / "static" / "studio.js"
    assert built.read_bytes() == bundle.read_bytes(), "run `npm run build` in editors/studio"
    assert bundle.stat().st_size < 500_000
    notices = bundle.with_suffix(".LICENSE").read_text(encoding="utf-8")
    bundled = [*folder.glob("node_modules/@[clm]*/*"), *folder.glob("node_modules/[cmsw]*")]
    for package in (package for package in bundled if (package / "package.json").is_file()):
        assert '"license": "MIT"' in (package / "package.json").read_text(encoding="utf-8").replace("\t", " "), package
        (licence,) = package.glob("LICENSE*")
        assert licence.read_text(encoding="utf-8").strip() in notices, package
