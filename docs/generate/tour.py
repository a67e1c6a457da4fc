"""The part of the Python page that shows each command as a function. Tests run its blocks."""

TOUR = """## Every command as a function

| command | function |
| --- | --- |
| `sottovoce data list`, `get`, `info` | `sottovoce.data_sets()`, `load(name)`, `info(name)` |
| `sottovoce run --data FILE` | `run(load(file))` |
| – | `run(data, model=…, protocol=…)`: parts of your choice |
| `sottovoce run RECIPE --set KEY=VALUE` | `run_recipe(recipe, settings={key: value})` |
| `sottovoce run … --resume` | the same call with `resume=True` |
| `sottovoce extend RUN_DIR --rounds N` | `Run.open(run_dir).extend(N)` |
| `sottovoce recommend RUN_DIR --user U` | `Run.open(run_dir).recommend(U)`, `.history(U)` |
| `sottovoce sweep RECIPE --grid …` | `sweep(recipe, {key: values}, seeds=…)` |
| `sottovoce report RUN_DIR …` | `report(run_dir, …)` |
| `sottovoce audit RUN_DIR` | `audit(run_dir)` |
| `sottovoce reproduce NAME` | `reproduce(name)` |
| `sottovoce recipes`, `doctor` | `recipes()`, `doctor()` |

`load` returns interactions. Printing them shows a summary in two lines. `run` trains on them:

```python
import sottovoce as sv

data = sv.load("synthetic", users=60, items=80)
print(data)
small = {"split.candidates": 20, "evaluate.ks": [5]}
mf = {"name": "mf", "factors": 3}
run = sv.run(data, model=mf, rounds=6, every=3, settings=small, out="runs/a", keep_models=True)
print(run)
print(sv.info(data)["interactions_per_user"])
```

`run` supports everything that a recipe does: networks with time, compression, servers, arriving items. Keys
without an argument of their own go into `settings`, by their place in [a recipe](recipe.md). They are checked
like a recipe.

```python
phones = sv.run(
    data,
    model=mf,
    rounds=6,
    settings=small,
    compress=[{"name": "subsample", "share": 0.5}],
    links={"name": "uniform", "transfer": 600},
    churn="phones",
)
print(phones.curve[-1]["hours"], phones.curve[-1]["online"])
```

A finished run that kept its models can be extended. The longer run has a directory of its own:

```python
longer = run.extend(rounds=12)
print(longer.directory, len(longer.curve))
again = sv.Run.open("runs/a-12")
print(again.metrics == longer.metrics)
```

A recipe by name, with changes; and a page that compares:

```python
synthetic = {"data.name": "synthetic", "data.users": 60, "data.items": 80}
tiny = small | synthetic | {"model.name": "mf", "model.factors": 3, "run.rounds": 6}
other = sv.run_recipe("quickstart", settings=tiny, out="runs/b")
page = sv.report(run, longer, out="compare.html")
print(page.path, page.headline)
```

A sweep runs in processes of its own, so it needs a recipe that names its data:

```python
found = sv.sweep("quickstart", {"protocol.pushes": [1, 3]}, seeds=2, settings=tiny, out="runs/sweep")
print(found.summary["points"][0]["mean"])
print(found.report, len(found.runs))
```

Reproductions, shipped recipes, and the check of the installation:

<!-- test: not run here, because it takes minutes and real data -->
```python
result = sv.reproduce("hegedus/figure-3", quick=True)
for row in result["rows"]:
    print(row["name"], row["metric"], row["paper"], row["ours"])
```

```python
print([recipe.name for recipe in sv.recipes()][:2])
print([check.sentence for check in sv.doctor() if check.state != "ok"])
```"""
