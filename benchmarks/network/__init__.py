"""Federation, virtual time and large networks: each against the plain way to do the same work."""

from collections.abc import Iterator

from benchmarks.measure import Result


def benchmarks(prefix: str) -> Iterator[Result]:
    """All of them."""
    # Here, as those that run in processes of their own are also programs.
    from benchmarks.network import federated, growth, large, virtual

    if "network-federated".startswith(prefix):
        yield federated.result()
    for shape in virtual.SHAPES:
        for links in virtual.LINKS:
            names = [f"network-virtual-{links}-{shape}{suffix}" for suffix in virtual.SUFFIXES]
            if any(name.startswith(prefix) for name in names):
                yield from virtual.results(links, shape)
        if f"network-planner-{shape}".startswith(prefix):
            yield virtual.planner(shape)
    if "network-growth".startswith(prefix):
        yield growth.result()
    if "network-large".startswith(prefix):
        yield large.result()
