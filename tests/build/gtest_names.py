"""Which gtest cases there are."""

import re


def tests_of(root):
    """'Suite.Name' -> the file it is in, for every gtest case whose file is part of a build."""
    found = {}
    for path in [*root.glob("src/**/*_test.cpp"), *root.glob("tests/**/*_test.cpp")]:
        lists = path.parent / "CMakeLists.txt"
        if "node_modules" in path.parts or not lists.exists() or path.name not in lists.read_text():
            continue
        for suite, name in re.findall(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", path.read_text(), re.M):
            found[f"{suite}.{name}"] = path
    return found
