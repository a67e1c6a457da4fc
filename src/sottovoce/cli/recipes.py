"""`sottovoce recipes`: the recipes that come with Sottovoce."""

import click


@click.command("recipes")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: name, path, summary and kind.")
def command(as_json: bool) -> None:
    """List the recipes that come with Sottovoce, and the tables and figures of papers.

    `sottovoce run NAME` runs a recipe, `sottovoce reproduce NAME` reproduces a table or figure.
    """
    from sottovoce.experiments.recipe.shipped import shipped

    kinds = {"run": shipped("recipe"), "reproduce": shipped("reproduction")}
    if as_json:
        import json

        every = [found._asdict() | {"path": str(found.path)} for known in kinds.values() for found in known]
        click.echo(json.dumps(every))
        return
    from sottovoce.cli.listing import listing

    for verb, known in kinds.items():
        click.echo(f"sottovoce {verb} NAME")
        listing(((found.name, found.summary) for found in known), indent=2)
