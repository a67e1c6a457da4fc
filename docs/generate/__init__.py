"""The pages of docs/reference that are written from the source: `python -m docs.generate`.

They are kept in the repository, so that they can be read there, and a test holds them equal to what
is written here. `make docs` writes them anew.
"""

from pathlib import Path

PLACE = Path(__file__).parents[1] / "reference"
NOTE = "<!-- Written from the source by docs/generate; `make docs` writes it anew. -->"


def pages() -> dict[str, str]:
    """Every generated page, by the name of its file."""
    from docs.generate import commands, components, datasets, metrics, python, recipe

    modules = (commands, recipe, components, datasets, metrics, python)
    return {module.PAGE: f"{NOTE}\n\n{module.page().strip()}\n" for module in modules}
