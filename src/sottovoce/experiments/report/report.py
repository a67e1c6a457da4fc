"""The page of a report, put together from its sections."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from sottovoce import __version__, plural
from sottovoce.experiments.pages import words
from sottovoce.experiments.pages.markup import Html, element, join
from sottovoce.experiments.pages.page import page
from sottovoce.experiments.recipe import phrases
from sottovoce.experiments.report import audit, chance, lists, network, nodes, people, privacy, quality
from sottovoce.experiments.report.layout import Section
from sottovoce.experiments.report.methods import Study, Subject, study
from sottovoce.experiments.report.verdict import Verdict, judge
from sottovoce.experiments.runs.machine import duration, size

_FEW = 4


class Report(NamedTuple):
    """A page, and the sections it is made of, which can be exported."""

    html: str
    sections: Sequence[Section]
    verdict: Verdict
    notes: tuple[str, ...]


def render(directory: Path) -> str:
    """The page of one complete run."""
    return report([directory]).html


def report(directories: Sequence[Path], person: str | None = None) -> Report:
    """The report on complete runs, or on all runs of a sweep. Runs that cannot be compared are refused.

    The page can be shared: it names no person, and no folder of this machine. If a `person` is given, it
    shows that person's list, and which of its items are in the person's history, but not who it is.
    """
    runs = study(directories)
    best = chance.best(runs)
    differences = chance.against(runs, best) if best else {}
    verdict = judge(runs, best, differences)
    sections = [
        quality.over_rounds(runs),
        quality.figures(runs, best, differences),
        quality.people_and_bytes(runs),
        people.badly_served(runs),
        *lists.recommended(runs),
        *lists.of_person(runs, person),
        *nodes.section(runs),
        *privacy.leaving(runs),
        *audit.found(runs),
        network.statistics(runs),
        *network.recipes(runs),
    ]
    title = _title(runs)
    body = join(
        _header(title, runs, best, verdict),
        element("main", *(section.html() for section in sections)),
        element("footer", f"Written by Sottovoce {__version__}. This page is complete in itself."),
    )
    return Report(page(title, body), sections, verdict, runs.notes)


def _title(runs: Study) -> str:
    data = runs.methods[0].runs[0].figures.data.name
    count = len(runs.methods)
    return phrases.about(f"{count} methods" if count > 1 else runs.methods[0].name, data)


def _header(title: str, runs: Study, best: Subject | None, verdict: Verdict) -> Html:
    data, seeds = runs.methods[0].runs[0].figures.data, runs.seeds
    counts = {"person": data.people, "item": data.items, "interaction": data.interactions}
    about = ", ".join(plural.count(number, noun) for noun, number in counts.items())
    which = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {', '.join(map(str, seeds))}"
    return element(
        "header",
        element("p", "Sottovoce", class_="brand"),
        element("h1", title),
        element("p", f"{about} · {which}", class_="subtitle"),
        element("p", element("strong", verdict.headline), verdict.sentence, class_=f"verdict {verdict.kind}"),
        quality.note(runs.notes),
        element("dl", *_tiles(runs, best), class_="figures"),
    )


def _tiles(runs: Study, best: Subject | None) -> list[Html]:
    """The main metric of every subject, or of few if methods are many; the cost of a single method."""
    metric, name = runs.metric, words.name(runs.metric)
    many = [m.name for m in runs.methods if m.subject is not best] if len(runs.methods) > _FEW else []
    shown = [s for s in runs.subjects if s.name not in many]
    figures = [
        (f"{name} · {s.name}", words.figure(metric, mean), s is best)
        for s in shown
        if (mean := s.mean(metric)) is not None
    ]
    if len(runs.methods) == 1:
        results = [run.figures for run in runs.methods[0].runs]
        seconds, sent = fmean(one.seconds for one in results), fmean(one.bytes for one in results)
        rounds = results[0].rounds
        took = {"rounds" if rounds > 1 else "round": f"{rounds:,}", "training time": duration(seconds)}
        took |= {"sent in total": size(sent)} if sent else {}
        figures += [(what, value, False) for what, value in took.items()]
    return [
        element("div", element("dt", name), element("dd", value), class_="main" if main else "")
        for name, value, main in figures
    ]
