"""The HTML page around a body: one file that needs no network, and runs only its own script."""

import base64
import hashlib
from importlib.resources import files

from sottovoce.experiments.pages.markup import Html, element


def page(title: str, body: Html) -> str:
    """A whole HTML page with this body."""
    style, script = (
        files("sottovoce.experiments.pages").joinpath(f"page.{kind}").read_text("utf-8")
        for kind in ("css", "js")
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{title} · Sottovoce"),
        element("style", Html(style)),
    )
    whole = element("html", head, element("body", body, element("script", Html(script))), lang="en")
    return f"<!DOCTYPE html>\n{whole}\n"
