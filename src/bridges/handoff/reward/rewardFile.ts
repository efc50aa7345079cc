/** Writes `reward.py`, the scores of a run's tasks in Python: rules that are written out, or calls of the library that has the rules. */
import type { ScoringMode } from '@rl-playground/tasks/parts';
import type { MixTask } from '@rl-playground/run/loop';
import addition from '../python/addition.py?raw';
import digits from '../python/digits.py?raw';
import entry from '../python/entry.py?raw';
import gym from '../python/gym.py?raw';
import mathematics from '../python/mathematics.py?raw';
import own from '../python/own.py?raw';
import rpn from '../python/rpn.py?raw';
import tags from '../python/tags.py?raw';
import text from '../python/text.py?raw';
import { graderOf, librariesOf, LIBRARIES, refusal, requirement, type LibraryName } from './graders.ts';

/** The rules for reading a completion before it is scored, which are those of the run's renderer. */
export interface Reading {
  readonly stopTokens: readonly number[];
  /** The stop token that the chat template puts behind an answer; null if any will do. */
  readonly turnEnd: number | null;
  readonly stopStrings: readonly string[];
  readonly withoutThoughts: boolean;
  readonly beginsInThought: boolean;
}

/** A value as Python reads it: the text of JSON, escapes and all, is also one of Python. */
const literal = (value: unknown): string => `json.loads(${JSON.stringify(JSON.stringify(value))})`;

const IMPORTS = `import contextlib
import functools
import json
import math
import re
import signal
import sys
import threading
import unicodedata`;

const importOf = (name: LibraryName): string => `try:
    import ${name}
except ImportError as error:
    raise ImportError(f"The rewards of this run need ${LIBRARIES[name].title} ({error}): pip install ${requirement(name)}") from None`;

/** The parts that ask a library, which are left out if no task needs them. */
const ASKING: Readonly<Record<LibraryName, string>> = { reasoning_gym: gym, math_verify: mathematics };

/** @throws Error saying which task can't be handed over, and why. */
export function rewardFile(tasks: readonly MixTask[], mode: ScoringMode, reading: Reading): string {
  const settings = tasks.map(({ task, config }) => {
    const grader = graderOf(task);
    if (grader === null) throw new Error(refusal(task) ?? task.name);
    return {
      task: task.name,
      mode,
      grade: grader.grade,
      ...(task.definition && { grader: task.definition.grader }),
      settings: config,
    };
  });
  const names = [...new Set(tasks.map(({ task }) => task.name))].join(', ');
  const libraries = librariesOf(tasks.map(({ task }) => task));
  const needs = ['Python 3.10', ...libraries.map(requirement)].join(', ');
  return [
    `"""The rewards of ${names} (scoring: ${mode}). Made by RL Playground; needs ${needs}."""`,
    [IMPORTS, ...libraries.map(importOf)].join('\n\n'),
    `# Of each part of the run's problems: the column "part" names it.\nTASKS = ${literal(settings)}`,
    `# How completions are read before they are scored.\nREADING = ${literal({
      stop_tokens: reading.stopTokens,
      turn_end: reading.turnEnd,
      stop_strings: reading.stopStrings,
      without_thoughts: reading.withoutThoughts,
      begins_in_thought: reading.beginsInThought,
    })}`,
    ...[text, digits, addition, rpn, tags, own, ...libraries.map((name) => ASKING[name]), entry].map((part) =>
      part.trim(),
    ),
  ]
    .join('\n\n\n')
    .concat('\n');
}
