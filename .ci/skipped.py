"""Print every skipped test with its reason; fail if a data test was skipped although data was there.

Reads the results that pytest wrote, so it does not depend on what a test or fixture does to be
skipped. A data test is one that uses the fixture `data_dir` (which tests/conftest.py writes into
the results), or whose reason speaks of SOTTOVOCE_DATA.
"""

import os
import sys
from xml.etree import ElementTree


def main(results: str) -> int:
    cases = ElementTree.parse(results).getroot().findall(".//testcase")
    data_there = bool(os.environ.get("SOTTOVOCE_DATA"))
    data_tests = 0
    wrong = []
    skips = []
    for case in cases:
        name = f"{case.get('classname', '')}::{case.get('name', '')}"
        needs = {p.get("value") for p in case.iter("property") if p.get("name") == "needs"}
        data_tests += "data" in needs
        for skipped in case.findall("skipped"):
            reason = skipped.get("message") or "no reason given"
            skips.append(f"  {name}: {reason}")
            if data_there and ("data" in needs or "SOTTOVOCE_DATA" in reason):
                wrong.append(name)
    print(f"{len(cases)} tests, {data_tests} of them on real data, {len(skips)} skipped" + ":" * bool(skips))
    print("\n".join(skips))
    if wrong:
        print(f"skipped although the data is there: {', '.join(wrong)}", file=sys.stderr)
    if data_there and not data_tests:
        print("the data is there, but no test on it was run", file=sys.stderr)
    return int(bool(wrong) or (data_there and not data_tests))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
