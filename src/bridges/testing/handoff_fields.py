#!/usr/bin/env python3
"""Writes the fields that the configurations of TRL, verl and prime-rl have, as src/bridges/handoff tests what it writes against them.

    python src/bridges/testing/handoff_fields.py VERL PRIME_RL        # git directories of two of them; needs PyYAML, and TRL installed

A tool, no dependency: run it when one has a new version, and read what `git diff` shows of the three fields.json.
"""
import ast
import dataclasses
import json
import os
import subprocess
import sys
import tomllib

import yaml

HANDOFF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../handoff")


def git(folder, *words):
    return subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, text=True).stdout


def shown(folder, path):
    return git(folder, "show", f"HEAD:{path}")


def head(folder):
    commit, date = git(folder, "log", "-1", "--format=%H %cs").split()
    return {"commit": commit, "date": date}


def leaves(tree, prefix=""):
    for name, value in tree.items():
        path = f"{prefix}{name}"
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for item in value:
                yield from leaves(item, f"{path}.")
        elif isinstance(value, dict) and value:
            yield from leaves(value, f"{path}.")
        elif name != "_target_":
            yield path


def verl(folder):
    tree = yaml.safe_load(shown(folder, "verl/trainer/config/_generated_ppo_trainer.yaml"))
    version = shown(folder, "verl/version/version").strip()
    used = ("actor_rollout_ref", "data", "reward", "algorithm", "trainer", "critic")
    return {"version": version, **head(folder), "fields": sorted(leaves({name: tree[name] for name in used}))}


CONFIGS = "packages/prime-rl-configs/src/prime_rl/configs"


def prime_rl(folder):
    """Pydantic's classes, read as text: nothing of them is imported. A class that another file has is looked for in that file."""
    classes, aliases = {}, {}
    for module in ("shared", "algorithm", "trainer", "inference", "monitors", "orchestrator", "rl"):
        for node in ast.parse(shown(folder, f"{CONFIGS}/{module}.py")).body:
            if isinstance(node, ast.ClassDef):
                classes[module, node.name] = node
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                aliases[module, node.target.id] = node.value

    def home(module, name, table):
        if (module, name) in table:
            return module
        return next((other for other, found in table if found == name), None)

    def fields_of(module, name):
        """(field, annotation, module) of a class and those that it is made from."""
        node = classes[module, name]
        for base in node.bases:
            if isinstance(base, ast.Name) and home(module, base.id, classes):
                yield from fields_of(home(module, base.id, classes), base.id)
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                yield item.target.id, item.annotation, module

    def configs_in(module, annotation):
        """Classes of ours that an annotation names."""
        for node in ast.walk(annotation):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                continue
            if not isinstance(node, ast.Name):
                continue
            if home(module, node.id, classes):
                yield home(module, node.id, classes), node.id
            elif home(module, node.id, aliases):
                where = home(module, node.id, aliases)
                yield from configs_in(where, aliases[where, node.id])

    def walk(module, name, prefix, seen):
        for field, annotation, where in fields_of(module, name):
            if "ClassVar" in ast.dump(annotation):
                continue
            found = [each for each in dict.fromkeys(configs_in(where, annotation)) if each not in seen]
            yield f"{prefix}{field}"
            for each in found:
                yield from walk(*each, f"{prefix}{field}.", seen | {each})

    version = next(line.split('"')[1] for line in shown(folder, "pyproject.toml").splitlines() if line.startswith("version"))
    # What belongs to verifiers and renderers, as prime-rl's own configurations have it.
    examples = [path for path in git(folder, "ls-tree", "-r", "--name-only", "HEAD", "configs").split() if path.endswith("/rl.toml")]
    environments = {
        path
        for example in examples
        for path in leaves(tomllib.loads(shown(folder, example)))
        if ".source.env." in path or ".renderer." in path
    }
    return {"version": version, **head(folder), "fields": sorted({*walk("rl", "RLConfig", "", frozenset()), *environments})}


def trl():
    import transformers
    import trl

    fields = sorted(field.name for field in dataclasses.fields(trl.GRPOConfig))
    return {"version": f"{trl.__version__}, transformers {transformers.__version__}", "fields": fields}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for name, record in (("trl", trl()), ("verl", verl(sys.argv[1])), ("primeRl", prime_rl(sys.argv[2]))):
        path = os.path.join(HANDOFF, name, "fields.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=2)
            file.write("\n")
        at = f", {record['commit'][:12]} of {record['date']}" if "commit" in record else ""
        print(f"{name} {record['version']}{at}: {len(record['fields'])} fields")


main()
