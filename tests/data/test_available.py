"""Free memory: what the system says, and no more than a container allows."""

import pytest

from sottovoce.data import available


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """Two places of control groups, both empty."""
    places = tmp_path / "two", tmp_path / "one"
    for place in places:
        place.mkdir()
    monkeypatch.setattr(available, "_GROUPS", places)
    return places


def write(place, **files):
    for name, text in files.items():
        (place / name.replace("__", ".")).write_text(str(text))


def test_numbers_of_system_files(tmp_path):
    (tmp_path / "meminfo").write_text(
        "MemTotal:  100 kB\nMemAvailable:    42 kB\nHugePages_Total:   x\nodd\n"
    )
    assert available.fields(tmp_path / "meminfo") == {"MemTotal": 100, "MemAvailable": 42}
    assert available.fields(tmp_path / "nothing") == {}


def test_without_a_container_it_is_what_the_system_has(groups):
    found = available.fields(available.Path("/proc/meminfo")).get("MemAvailable")
    if found is None:
        pytest.skip("this system has no /proc/meminfo")
    assert available.available_memory() == pytest.approx(1024 * found, rel=0.2)


def test_a_container_allows_less_and_cached_files_do_not_count(groups):
    two, one = groups
    write(two, memory__max=5000, memory__current=3000, memory__stat="anon 7\ninactive_file 400\n")
    assert available.available_memory() == 5000 - 3000 + 400
    write(
        one,
        memory__limit_in_bytes=1000,
        memory__usage_in_bytes=800,
        memory__stat="inactive_file 7\ntotal_inactive_file 50\n",
    )
    assert available.available_memory() == 1000 - 800 + 50


def test_what_is_used_up_is_zero_and_no_limit_is_none(groups):
    two, _ = groups
    without = available.available_memory()
    write(two, memory__max="max", memory__current=3000)
    assert available.available_memory() == pytest.approx(without, rel=0.2)
    write(two, memory__max=2**60)
    assert available.available_memory() == pytest.approx(without, rel=0.2)
    write(two, memory__max=2000)
    assert available.available_memory() == 0
