"""`sottovoce recipes`: what is shipped."""

import click


@click.command("recipes")
@click.option("--json", "as_json", is_flag=True, help="Print for machines: name, path and summary of each.")
def command(as_json: bool) -> None:
    """List the recipes that come with Sottovoce; `sottovoce run NAME` runs one."""
    from sottovoce.experiments.recipes import shipped

    known = shipped()
    if as_json:
        import json

        click.echo(json.dumps([{"name": r.name, "path": str(r.path), "summary": r.summary} for r in known]))
        return
    width = max((len(r.name) for r in known), default=0)
    for recipe in known:
        click.echo(f"{recipe.name:<{width}}  {recipe.summary}")
