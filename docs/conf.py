"""How the site is built from these pages: `make docs`."""

import re

from sphinx.application import Sphinx

import sottovoce

project = "Sottovoce"
author = "The Sottovoce authors"
project_copyright = "The Sottovoce authors, Apache-2.0"
release = version = sottovoce.__version__

extensions = ["myst_parser"]
myst_heading_anchors = 3
exclude_patterns = ["generate"]
smartquotes = False  # two dashes begin an option
highlight_language = "text"
suppress_warnings = ["myst.header"]  # a changelog skips a level
nitpicky = True

html_theme = "furo"
html_title = "Sottovoce"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"font-stack--monospace": "ui-monospace, SFMono-Regular, Menlo, monospace"},
}

LINK = re.compile(r"\]\(([^)#:]+\.md)[^)]*\)")


def read(app: Sphinx, page: str, source: list[str]) -> None:
    """What a page needs here and not where the repository is browsed.

    The links of an index are its table of contents, under their headings. Files at the root of the
    repository are read here as pages about the project.
    """
    text = re.sub(r"\]\((?:\.\./)+(CHANGELOG|CONTRIBUTING)\.md\)", _project, source[0])
    if page.rpartition("/")[2] == "index":
        above, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
        for section in sections or [f"\n{above}"]:
            caption, pages = section.partition("\n")[0], LINK.findall(section)
            if pages:
                head = f":caption: {caption}\n" if caption else ""
                text += f"\n```{{toctree}}\n:hidden:\n{head}\n" + "\n".join(pages) + "\n```\n"
    source[0] = text


def _project(found: re.Match[str]) -> str:
    return f"](/project/{found[1].lower()}.md)"


def setup(app: Sphinx) -> None:
    app.connect("source-read", read)
