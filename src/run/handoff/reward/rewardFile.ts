/** `reward.py`: the scores of a run's tasks in Python, by the same rules to the last digit. */
import { latexSymbols, type ScoringMode } from '@rl-playground/tasks/parts';
import type { MixTask } from '../../../rl/loop/taskMix.ts';
import addition from '../python/addition.py?raw';
import digits from '../python/digits.py?raw';
import entry from '../python/entry.py?raw';
import gym from '../python/gym.py?raw';
import mathematics from '../python/mathematics.py?raw';
import own from '../python/own.py?raw';
import rpn from '../python/rpn.py?raw';
import tags from '../python/tags.py?raw';
import text from '../python/text.py?raw';
import { graderIn, refusal } from './graders.ts';

/** How a completion is read before it is scored: what the run's renderer does. */
export interface Reading {
  readonly stopTokens: readonly number[];
  /** The stop token that the chat template puts behind an answer; null where any will do. */
  readonly turnEnd: number | null;
  readonly stopStrings: readonly string[];
  /** Whether what a model thinks is left out. */
  readonly withoutThoughts: boolean;
  /** Whether prompts end inside a thought. */
  readonly beginsInThought: boolean;
}

/** A JSON text is a Python one, escapes and all. */
const literal = (value: unknown): string => `json.loads(${JSON.stringify(JSON.stringify(value))})`;

const IMPORTS = `import ast
import json
import math
import operator
import re
import sys
import unicodedata
from decimal import Decimal, InvalidOperation
from fractions import Fraction`;

/** @throws Error saying which task can't be handed over, and why. */
export function rewardFile(tasks: readonly MixTask[], mode: ScoringMode, reading: Reading): string {
  const settings = tasks.map(({ task, config }) => {
    const grader = graderIn(task, mode);
    if (grader === null) throw new Error(refusal(task, mode) ?? task.name);
    return {
      task: task.name,
      mode,
      grade: grader.grade,
      ...(grader.score !== undefined && { score: grader.score }),
      ...(task.definition && { grader: task.definition.grader }),
      settings: config,
    };
  });
  const names = [...new Set(tasks.map(({ task }) => task.name))].join(', ');
  return [
    `"""The rewards of ${names}, as RL Playground pays them (scoring: ${mode}). Made by it; needs nothing but Python 3.9."""`,
    IMPORTS,
    `# Of each part of the run's problems: the column "part" names it.\nTASKS = ${literal(settings)}`,
    `# How completions are read before they are scored.\nREADING = ${literal({
      stop_tokens: reading.stopTokens,
      turn_end: reading.turnEnd,
      stop_strings: reading.stopStrings,
      without_thoughts: reading.withoutThoughts,
      begins_in_thought: reading.beginsInThought,
    })}`,
    `LATEX_SYMBOLS = ${literal(latexSymbols())}`,
    ...[text, digits, addition, rpn, mathematics, tags, gym, own, entry].map((part) => part.trim()),
  ]
    .join('\n\n\n')
    .concat('\n');
}
