"""What all tests share: the real data sets, and how Hypothesis searches."""

import os
import signal
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from sottovoce import testing
from tests.small import SMALL, changed

# Compiling a kernel takes seconds, once; a search that differs from run to run does not belong in CI.
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# What is started in the background may ignore Ctrl-C, and would hand that down to the processes of tests.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The directory of real data sets, $SOTTOVOCE_DATA; a test that asks for it is a data test."""
    place = os.environ.get("SOTTOVOCE_DATA")
    if not place:
        pytest.skip("SOTTOVOCE_DATA is not set, and this test needs real data")
    if not Path(place).is_dir():
        pytest.fail(f"SOTTOVOCE_DATA is {place}, which is not a directory")
    return Path(place)


@pytest.fixture
def recipe_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes the recipe of a small community, with changes to single keys such as `run__rounds=3`."""
    from sottovoce.experiments.recipe import toml

    def write(name: str = "small.toml", **changes: Any) -> Path:
        path = tmp_path / name
        path.write_text(toml.dumps(changed(SMALL, **changes)))
        return path

    return write


@pytest.fixture
def uncompiled() -> Iterator[None]:
    """Kernels run as the plain Python they are: slow, but a combination costs no compilation."""
    with testing.uncompiled():
        yield


def _is_data_test(item: pytest.Item) -> bool:
    return "data_dir" in getattr(item, "fixturenames", ())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark data tests in the results, where .ci/run finds those that were skipped."""
    for item in items:
        if _is_data_test(item):
            item.user_properties.append(("needs", "data"))
    if hasattr(config, "workerinput"):
        _from_both_ends(items)


def _from_both_ends(items: list[pytest.Item]) -> None:
    """Let the second of two processes begin with the last file, far from what the first one compiles."""
    half = len(items) // 2
    number = {item.path: n for n, item in enumerate(items)}
    items[half:] = sorted(items[half:], key=lambda item: -number[item.path])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A data test that is skipped although data is there has failed."""
    report = yield
    there = bool(os.environ.get("SOTTOVOCE_DATA"))
    if there and report.skipped and not hasattr(report, "wasxfail") and _is_data_test(item):
        report.outcome = "failed"
        report.longrepr = f"skipped although SOTTOVOCE_DATA is set: {report.longrepr}"
    return report


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their argument: compressed ones hold the time, so that two processes name them unlike."""
    return argname if isinstance(val, bytes) else None
