"""Write the generated pages."""

from docs.generate import PLACE, pages

for name, text in pages().items():
    path = PLACE / name
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")
        print(f"written: {path.relative_to(PLACE.parents[1])}")
