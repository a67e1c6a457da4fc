"""`python -m benchmarks [PREFIX]`: run benchmarks, print them, write results.json."""

import importlib
import json
import pkgutil
import sys
from pathlib import Path

import benchmarks

HERE = Path(__file__).parent


def main(prefix: str = "") -> int:
    """Run every benchmark whose name begins with `prefix`; others keep their last result."""
    path = HERE / "results.json"
    results = json.loads(path.read_text()) if path.exists() else {}
    areas = [m.name for m in pkgutil.iter_modules(benchmarks.__path__)]
    failed = 0
    for area in sorted(set(areas) - {"__main__", "measure"}):
        if not (area.startswith(prefix) or prefix.startswith(area)):
            continue
        for result in importlib.import_module(f"benchmarks.{area}").benchmarks(prefix):
            if not result.name.startswith(prefix):
                continue
            ratio = None if result.ratio is None else round(result.ratio, 3)
            judged = result.ratio is not None and result.target is not None
            holds = result.ratio <= result.target and result.fits if judged else None
            failed += holds is False
            results[result.name] = {
                "ratio": ratio,
                "against": result.against,
                "target": result.target,
                "holds": holds,
                "detail": result.detail,
            }
            verdict = {True: "holds", False: "DOES NOT HOLD", None: "reported"}[holds]
            verdict = "skipped" if ratio is None else verdict
            goal = "" if result.target is None else f" (at most {result.target:g})"
            shown = "        —" if ratio is None else f"{ratio:8.3f}×"
            print(f"{result.name:34} {shown} {result.against}{goal}: {verdict}")
            print(f"    {result.detail}", flush=True)
            path.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]) > 0)
