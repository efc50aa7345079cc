/** Compares the scores of every task that can be handed over with those of the Python that is written for it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawsFor, pick, uniformInt, type Draw } from '@rl-playground/base/random';
import type { MixTask } from '@rl-playground/run/loop';
import { graderOf, paysAlike, rewardFile, problemJson } from '@rl-playground/bridges/handoff';
import {
  customTask,
  GRADER_DEFAULTS,
  type TaskField,
  TASKS,
  rpnIds,
  rpnVocabularyOf,
  SCORING_MODES,
  type Completion,
  type Problem,
  type Reward,
  type ScoringMode,
  type Task,
  type TaskConfig,
} from '@rl-playground/tasks/parts';
import type { StopReason } from '@rl-playground/base/conversation';
import { hostileText } from '@rl-playground/base/testing/hostileText';
import '@rl-playground/tasks/words';

/** The number of problems for each set of settings. */
const PROBLEMS = 25;
const STREAM = 0x9e3;

export interface Agreement {
  readonly task: string;
  readonly mode: ScoringMode;
  readonly rows: number;
  /** The number of rows that earned something by our scores. */
  readonly rewarded: number;
  /** The differences, with the texts. */
  readonly faults: readonly string[];
  /** True if differences are allowed, because a library has other rules than this scoring. */
  readonly differs: boolean;
}

/** Gives a task of GSM8K its rows, some of whose answers are no whole numbers. */
function withRows(task: Task): Task {
  const answers = ['42', '-7', '1,234,567', '3.5', '18', '0.25', '7/3', '\\frac{1}{2}', '2\\pi', '(1, 2)'];
  const rows = (first: number) =>
    Array.from({ length: PROBLEMS }, (_, i) => ({
      question: `Problem ${first + i}?`,
      answer: `So it is.\n#### ${answers[i % answers.length]}`,
    }));
  task.dataset?.provide({ train: rows(0), test: rows(PROBLEMS) });
  return task;
}

/** A task of each grader that is written in Python. */
function ownTasks(): Task[] {
  const rows = ['Oslo', 'New  York', '\\frac{1}{2}', '12', '$1,234.50', 'café'].flatMap((answer, i) =>
    Array.from({ length: 5 }, (_, j) => ({ question: `Question ${i} ${j}?`, answer })),
  );
  return [
    GRADER_DEFAULTS.exact,
    { ...GRADER_DEFAULTS.exact, ignoreCase: true },
    { ...GRADER_DEFAULTS.exact, ignoreSpace: false },
    GRADER_DEFAULTS.answer_tag,
    { ...GRADER_DEFAULTS.answer_tag, ignoreCase: true, ignoreSpace: false },
    GRADER_DEFAULTS.boxed,
  ].map((grader, i) => customTask({ name: `${grader.kind} ${i}`, rows, grader, system: '' }));
}

export const handedTasks = (): readonly Task[] => [...TASKS.map(withRows), ...ownTasks()];

const others = (field: TaskField): TaskConfig[string][] => {
  if ('choices' in field && typeof field.default === 'string')
    return Object.keys(field.choices).filter((choice) => choice !== field.default);
  return typeof field.default === 'boolean' ? [!field.default] : [];
};

/** The task's defaults, and one set of settings for each other value of a setting that may change a score. */
function variants(task: Task): TaskConfig[] {
  const paid = 'step_weight' in task.fields ? { step_weight: 0.7 } : {};
  const changed = Object.entries(task.fields).flatMap(([key, field]) =>
    others(field).map((value) => ({ ...task.defaults, ...paid, [key]: value })),
  );
  return [task.defaults, { ...task.defaults, ...paid, format_weight: 0.3 }, ...changed]
    .map((config) => Object.fromEntries(Object.entries(config).filter(([key]) => key in task.fields)))
    .filter((config) => task.checkConfig(config as TaskConfig) === null) as TaskConfig[];
}

/** Ways to write an answer that normal forms recognize, or just don't. */
const DRESSED: readonly ((answer: string) => string)[] = [
  (answer) => `\\text{${answer}}`,
  (answer) => `\\$${answer}`,
  (answer) => `${answer}\\%`,
  (answer) => `${answer}.0`,
  (answer) => `x=${answer}`,
  (answer) => `${answer} cm`,
  (answer) => `${answer} meters^2`,
  (answer) => answer.replace('frac', 'dfrac'),
  (answer) => `\\left(${answer}\\right)`,
  (answer) => `${answer}\\text{ miles}`,
  (answer) => `2*${answer}/2`,
  (answer) => `\\sqrt{${answer}^2}`,
  (answer) => `\\frac{${answer}}{1}`,
  (answer) => `${answer} million`,
  (answer) => `{${answer}}`,
  (answer) => answer.replaceAll(',', ''),
  (answer) => `1 1/2+${answer}-3/2`,
];

/** An answer that is right, nearly right, another problem's, hostile or empty. */
function answerText(task: Task, problem: Problem, other: Problem, draw: Draw): string {
  const kind = draw();
  if (kind < 0.2) return task.workedAnswer(problem);
  if (kind < 0.35) return task.demonstration(problem, draw);
  if (kind < 0.5) return task.workedAnswer(other);
  if (kind < 0.53) return '';
  if (kind < 0.6 && task.family === 'mathematics')
    return `So it is \\boxed{${pick(draw, DRESSED)(problem.answer)}}.`;
  const near = kind < 0.65 ? task.workedAnswer(problem) : problem.answer;
  const text = hostileText(draw, near);
  // Between tags, in a box or behind the tag, so that the score of a task is asked and not its form alone.
  return kind < 0.75
    ? text
    : pick(draw, [`<answer>${text}</answer>`, `\\boxed{${text}}`, `[ANSWER] ${text}`]);
}

interface Row {
  readonly part: number;
  readonly problem: Problem;
  readonly completion: Completion;
}

function drawRows(task: Task, configs: readonly TaskConfig[], count: number, seed: number): Row[] {
  const problems = configs.map((config) =>
    Array.from({ length: PROBLEMS }, (_, i) => task.generate(seed, 'eval', i, config)),
  );
  return Array.from({ length: count }, (_, i): Row => {
    const draw = drawsFor(STREAM, seed, i);
    const part = i % configs.length;
    const [problem, other] = [0, 1].map(() => problems[part]?.[uniformInt(draw, 0, PROBLEMS - 1)]);
    if (!problem || !other) throw new Error(`${task.name} has no problem.`);
    const text = answerText(task, problem, other, draw);
    const stopReason = pick<StopReason>(draw, ['stop', 'eos', 'max_tokens']);
    const native = task.name === 'rpn_arithmetic' && draw() < 0.5;
    const tokens = native ? rpnIds(rpnVocabularyOf(configs[part] ?? {}), text).filter((id) => id >= 0) : [];
    return { part, problem, completion: { text, tokens, stopReason } };
  });
}

interface PythonReward extends Pick<Reward, 'total' | 'parts' | 'correct' | 'format'> {}

/** @throws Error with Python's last words. */
function inPython(python: string, source: string, lines: readonly string[]): PythonReward[] {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-rewards-'));
  try {
    writeFileSync(join(folder, 'reward.py'), source);
    const { status, stdout, stderr, error } = spawnSync(python, [join(folder, 'reward.py')], {
      input: lines.join('\n'),
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    if (error) throw new Error(`${python} did not start: ${error.message}`);
    if (status !== 0) throw new Error(`${python} ended with ${status}: ${stderr.trim().slice(-1500)}`);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as PythonReward);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const shown = ({ total, parts, correct, format }: PythonReward): string =>
  JSON.stringify({ total, parts, correct, format });

function same(a: PythonReward, b: PythonReward): boolean {
  const near = (x: number | undefined, y: number | undefined): boolean =>
    x !== undefined && y !== undefined && Math.abs(x - y) <= 1e-12;
  const keys = Object.keys(a.parts);
  return (
    near(a.total, b.total) &&
    a.correct === b.correct &&
    a.format === b.format &&
    keys.join() === Object.keys(b.parts).join() &&
    keys.every((key) => near(a.parts[key], b.parts[key]))
  );
}

/** Our rewards and Python's for `count` answers to problems of a task; null if its scores are not in Python. */
export function agreement(
  task: Task,
  mode: ScoringMode,
  { python, count, seed }: { readonly python: string; readonly count: number; readonly seed: number },
): Agreement | null {
  const grader = graderOf(task);
  if (grader === null) return null;
  const configs = variants(task);
  const mix: MixTask[] = configs.map((config) => ({ task, share: 1 / configs.length, config }));
  const rows = drawRows(task, configs, count, seed);
  const ours = rows.map(({ part, problem, completion }) =>
    task.score(problem, completion, { mode, config: configs[part] ?? {} }),
  );
  const reading = {
    stopTokens: [],
    turnEnd: null,
    stopStrings: [],
    withoutThoughts: false,
    beginsInThought: false,
  };
  const theirs = inPython(
    python,
    rewardFile(mix, mode, reading),
    rows.map(({ part, problem, completion: { text, tokens, stopReason } }) => {
      const mixTask = mix[part];
      if (mixTask === undefined) throw new Error(`There is no part ${part}.`);
      return JSON.stringify({
        part,
        problem: JSON.parse(problemJson(mixTask, problem)) as unknown,
        text,
        tokens,
        ending: stopReason,
      });
    }),
  );
  const faults = rows.flatMap(({ completion }, i) => {
    const [mine, other] = [ours[i], theirs[i]];
    if (mine && other && same(mine, other)) return [];
    const text = JSON.stringify(completion.text).slice(0, 200);
    return [
      `${text} (${completion.stopReason}): ours ${mine && shown(mine)}, Python ${other && shown(other)}`,
    ];
  });
  return {
    task: task.name,
    mode,
    rows: rows.length,
    rewarded: ours.filter(({ total }) => total > 0).length,
    faults,
    differs: !paysAlike(grader, mode),
  };
}

/** Compares both modes of each task. */
export function* agreements(
  only: readonly string[] | null,
  options: { readonly python: string; readonly count: number; readonly seed: number },
): Generator<Agreement> {
  for (const task of handedTasks()) {
    if (only !== null && !only.includes(task.name)) continue;
    for (const mode of SCORING_MODES) {
      const found = agreement(task, mode, options);
      if (found !== null) yield found;
    }
  }
}
