"""Recipes: TOML files that say everything a run depends on.

recipe.py        reading and writing a recipe; its hash
sections.py      the keys of each section
building.py      building the components that a recipe names
resolving.py     the recipe with every default written out
combinations.py  components that do not go together
overrides.py     changes such as `--set model.factors=16`
document.py      nested tables: paths, settings, errors
toml.py          writing TOML
shipped.py       the recipes that come with Sottovoce
privacy.py       what leaves a device
phrases.py       what a method is called
"""
