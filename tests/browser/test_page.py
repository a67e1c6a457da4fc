"""The report in a real browser: nothing sticks out or fails, values are shown and curves hidden."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.browser.chromium import Chromium

CENTRE = """(() => {
  const part = document.querySelector(%r);
  part.scrollIntoView({block: "center"});
  const box = part.getBoundingClientRect();
  return [box.left + box.width * %g, box.top + box.height * %g];
})()"""
SHOWN = ".choice > input:checked + label + figure .chart"
TIP = "document.querySelector('.tip')"


def place(browser: Chromium, selector: str, across: float = 0.5, down: float = 0.5) -> tuple[float, float]:
    """Where a part of the page is, scrolled into view."""
    x, y = browser.run(CENTRE % (selector, across, down))
    return x, y


@pytest.mark.parametrize("width", [320, 360, 390, 768, 1280])
@pytest.mark.parametrize("which", ["one", "many", "long"])
def test_nothing_sticks_out_and_nothing_fails(
    browser: Chromium, request: pytest.FixtureRequest, which: str, width: int
) -> None:
    browser.open(request.getfixturevalue(which), width)
    assert browser.run("document.documentElement.scrollWidth") == width
    wide = browser.run(
        "[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll > *') && "
        f"e.getBoundingClientRect().right > {width} + 1).map(e => e.tagName + '.' + e.getAttribute('class'))"
    )
    assert wide == []
    assert browser.faults == []


def test_text_in_charts_can_be_read_on_a_phone(browser: Chromium, many: Path) -> None:
    browser.open(many, 360)
    heights = browser.run(
        "[...document.querySelectorAll('.chart text')].filter(t => t.getClientRects().length)"
        ".map(t => t.getBoundingClientRect().height)"
    )
    assert min(heights) > 9


def test_legends_do_not_overlap(browser: Chromium, many: Path) -> None:
    browser.open(many, 1280)
    boxes = browser.run(
        "[...document.querySelectorAll('.chart')].map(c => [...c.querySelectorAll('.key')].map(k => {"
        "const b = k.getBoundingClientRect(); return [b.left, b.right, Math.round(b.top)]}))"
    )
    for keys in boxes:
        for (_, end, row), (begin, _, below) in pairwise(keys):
            assert below > row or begin >= end - 1


FIGURES = """[...document.querySelectorAll('.choice > figure')].filter(
  f => getComputedStyle(f).display !== 'none').map(f => f.querySelector('h3').textContent)"""


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("way", ["pointer", "keyboard"])
def test_a_metric_is_chosen(browser: Chromium, many: Path, way: str, scripts: bool) -> None:
    browser.open(many, 390, scripts=scripts)
    assert browser.run(FIGURES) == ["HR@10 over rounds"], "the main metric alone"
    if way == "pointer":
        browser.click(*place(browser, "label[for=show-ndcg-5]"))
    else:
        browser.run("document.querySelector('#show-hr-10').focus()")
        browser.key("ArrowRight")
    assert browser.run(FIGURES) == ["NDCG@5 over rounds"]
    drawn = f"document.querySelector('{SHOWN}').getBoundingClientRect()"
    assert browser.run(f"[{drawn}.width > 300, {drawn}.height > 150]") == [True, True]
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.run(FIGURES) == ["NDCG@5 over rounds"], "what was chosen is printed"
    assert browser.run("document.querySelector('.choice > label').getClientRects().length") == 0
    browser.call("Emulation.setEmulatedMedia", media="")


def test_the_names_of_rows_stay_while_a_table_is_scrolled(browser: Chromium, many: Path) -> None:
    browser.open(many, 390)
    box = "[...document.querySelectorAll('.scroll')].find(s => s.scrollWidth > s.clientWidth)"
    first = f"{box}.querySelector('tbody th').getBoundingClientRect()"
    last = f"{box}.querySelector('tbody tr').lastElementChild.getBoundingClientRect()"
    before = browser.run(f"[{first}.left, {last}.right > innerWidth]")
    browser.run(f"{box}.scrollLeft = 10000")
    after = browser.run(f"[{first}.left, {last}.right > innerWidth]")
    assert (before[1], after[1]) == (True, False), "the last column can be reached"
    assert after[0] == before[0]
    assert browser.run(f"{last}.left >= {first}.right - 1"), "and is not covered"


def test_values_are_shown_at_the_pointer(browser: Chromium, many: Path) -> None:
    browser.open(many, 1000)
    assert browser.run(f"{TIP}.hidden")
    browser.move(*place(browser, SHOWN, 0.97, 0.4))
    assert not browser.run(f"{TIP}.hidden")
    said = browser.run(f"{TIP}.innerText")
    assert "rounds: 7" in said
    for name in ("step 0.01", "step 0.1", "popularity", "random"):
        assert name in said
    assert said.count(" to ") == 2, "the band of each method"
    browser.move(*place(browser, SHOWN, 0.97, 0.98))
    assert browser.run(f"{TIP}.hidden"), "not over the legend"


def test_values_are_shown_by_the_keyboard(browser: Chromium, many: Path) -> None:
    browser.open(many, 1000)
    assert browser.run(f"document.querySelector('{SHOWN}').getAttribute('tabindex')") == "0"
    browser.run(f"document.querySelector('{SHOWN}').focus()")
    browser.key("ArrowLeft")
    assert "rounds: 7" in browser.run(f"{TIP}.innerText")
    browser.key("ArrowLeft")
    assert "rounds: 6" in browser.run(f"{TIP}.innerText")
    browser.key("Escape")
    assert browser.run(f"{TIP}.hidden")


def test_a_distribution_says_how_many(browser: Chromium, many: Path) -> None:
    browser.open(many, 1000)
    browser.run("document.querySelector('.chart[data-x$=person]').setAttribute('id', 'cdf')")
    browser.move(*place(browser, "#cdf", 0.6, 0.4))
    said = browser.run(f"{TIP}.innerText")
    assert "of a person: " in said
    assert said.count("%") == 4, "a place, and a share for each of three"


@pytest.mark.parametrize("way", ["pointer", "keyboard"])
def test_a_key_hides_its_curve_everywhere(browser: Chromium, many: Path, way: str) -> None:
    browser.open(many, 1000)
    curves = "[...document.querySelectorAll('.series')].filter(s => s.dataset.name === 'step 0.1')"
    shown = f"{curves}.filter(s => getComputedStyle(s).display !== 'none').length"
    before = browser.run(shown)
    assert before == browser.run(f"{curves}.length") > 4
    key = f'{SHOWN} .key[data-name="step 0.1"]'

    def toggle() -> None:
        if way == "pointer":
            browser.click(*place(browser, key))
        else:
            browser.run(f"document.querySelector({key!r}).focus()")
            browser.key("Enter")

    toggle()
    assert browser.run(shown) == 0
    assert browser.run(f"document.querySelector({key!r}).getAttribute('aria-pressed')") == "false"
    browser.move(*place(browser, SHOWN, 0.97, 0.4))
    assert "step 0.1\n" not in browser.run(f"{TIP}.innerText")
    toggle()
    assert browser.run(shown) == before


def test_without_scripts_all_is_there(browser: Chromium, many: Path) -> None:
    browser.open(many, 1000)
    text = "document.querySelector('main').innerText"
    curves = (
        "[...document.querySelectorAll('.series')].filter(s => s.getBoundingClientRect().width > 0).length"
    )
    with_scripts = browser.run(text), browser.run(curves)
    browser.open(many, 1000, scripts=False)
    assert (browser.run(text), browser.run(curves)) == with_scripts
    assert browser.run("document.querySelector('.tip')") is None
    assert browser.run("document.querySelector('[role=button]')") is None, "nothing pretends to be a button"


def test_dark_text_has_contrast(browser: Chromium, many: Path) -> None:
    """4.5 to 1, as WCAG 2 asks of text, for all text in both schemes."""
    script = """[...document.querySelectorAll('body *')].filter(e => [...e.childNodes].some(
      n => n.nodeType === 3 && n.textContent.trim()) && e.getClientRects().length).map(e => {
        const style = getComputedStyle(e);
        const of = c => c.match(/[0-9.]+/g).slice(0, 3).map(Number);
        const light = c => of(c).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
          .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
        const colour = e.namespaceURI.endsWith('svg') ? style.fill : style.color;
        const paper = getComputedStyle(document.documentElement).backgroundColor;
        const [a, b] = [light(colour), light(paper)].sort((x, y) => y - x);
        return [e.textContent.slice(0, 30), (a + 0.05) / (b + 0.05)];
      }).filter(([, contrast]) => contrast < 4.5)"""
    for dark in (False, True):
        browser.open(many, 1000, dark=dark)
        assert browser.run(script) == []


def test_it_can_be_printed(browser: Chromium, many: Path) -> None:
    browser.open(many, 1000)
    assert browser.pdf().startswith(b"%PDF")
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.run("document.documentElement.scrollWidth") <= 1000
    assert browser.run("getComputedStyle(document.querySelector('.scroll')).overflowX") == "visible"


def test_faults_are_noticed(browser: Chromium, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text("<script>setTimeout(() => nothing.here)</script>")
    browser.open(page, 500)
    browser.run("1")
    assert "nothing is not defined" in "".join(browser.faults)
