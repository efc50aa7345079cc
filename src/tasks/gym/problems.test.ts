import { describe, expect, it } from 'vitest';
import { taskConfigErrors } from '../define/define.ts';
import { drawsFor } from '@rl-playground/base/random';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { TODAY } from '@rl-playground/base/testing/today';
import { SCORING_MODES, type Problem, type Split, type TaskConfig } from '../define/types.ts';
import { extractAnswer } from './shared/answerTag.ts';
import type { GymTask } from './shared/define.ts';
import { GYM_TASKS } from './index.ts';

/** Problems of each task, shared out among its settings. Other ones each day, where they are few. */
const PROBLEMS = everyProof ? 1000 : 60;
const SEED = everyProof ? 3 : TODAY;
/** Longest prompt that a starter model is to learn from, in characters, and longest answer with its steps. */
const [LONGEST_COMPACT, LONGEST_WORKED] = [100, 200];
/** The characters that the tokenizers of the starter models know. */
const STARTER_TEXT = /^[\n -~∧∨¬→↔×]*$/;

/** Tasks of which upstream's own scorer gives less than 1 to some right answers, and why. */
const BELOW_ONE_UPSTREAM: Readonly<Record<string, string>> = {};

interface Setting {
  readonly label: string;
  readonly config: TaskConfig;
}

function settingsOf({ defaults, levels, starter }: GymTask): Setting[] {
  const changes: { label: string; change: TaskConfig }[] = [
    { label: 'default', change: {} },
    ...levels.map((level, i) => ({ label: `level ${i}`, change: level })),
    ...(starter === null ? [] : [{ label: 'starter', change: starter.config as TaskConfig }]),
  ];
  return changes.map(({ label, change }) => ({ label, config: { ...defaults, ...change } }));
}

/** The first draws as given, the others uniform. */
function scripted(first: readonly number[], rest: () => number): () => number {
  const queue = [...first];
  return () => queue.shift() ?? rest();
}

const completion = (text: string) => ({ text, tokens: [], stopReason: 'stop' as const });

/** Returns what a demonstration gives as its answer, or null if it has neither form. */
function ending(text: string): { tagged: boolean; given: string } | null {
  const tagged = extractAnswer(text);
  if (tagged !== null) return { tagged: true, given: tagged };
  const place = text.lastIndexOf('Answer: ');
  return place < 0 ? null : { tagged: false, given: text.slice(place + 'Answer: '.length) };
}

/** Lists what is wrong with a problem and with the score of its right answer. */
function problemFaults(task: GymTask, problem: Problem, { config, label }: Setting): string[] {
  const faults: string[] = [];
  const { question, compact, answer, data } = problem;
  if (question === '' || compact === '' || answer === '') faults.push('an empty text');
  if (JSON.stringify(JSON.parse(JSON.stringify(data))) !== JSON.stringify(data))
    faults.push('data is no JSON');
  const worked = task.workedAnswer(problem);
  for (const mode of SCORING_MODES) {
    if (mode === 'upstream' && Object.hasOwn(BELOW_ONE_UPSTREAM, task.name)) continue;
    const graded = task.grade({ question, answer, metadata: data }, answer, mode);
    if (graded !== 1) faults.push(`its answer ${answer} earns ${graded} in ${mode}`);
    const reward = task.score(problem, completion(worked), { mode, config });
    if (!reward.correct) faults.push(`the worked answer is wrong in ${mode}: ${worked}`);
    if (mode === 'strict' && !reward.format) faults.push(`the worked answer lacks the form: ${worked}`);
  }
  if (label === 'starter') {
    if (!compact.startsWith(`${task.name} `)) faults.push(`"${compact}" starts with no "${task.name} "`);
    if (compact.length > LONGEST_COMPACT) faults.push(`a prompt of ${compact.length} characters: ${compact}`);
    if (worked.length > LONGEST_WORKED) faults.push(`an answer of ${worked.length} characters: ${worked}`);
    if (!STARTER_TEXT.test(compact + worked)) faults.push(`strange characters in ${compact} ${worked}`);
  }
  return faults;
}

/** Lists what is wrong with a problem's demonstrations, with tags and without. */
function demonstrationFaults(task: GymTask, problem: Problem, draw: () => number): string[] {
  const faults: string[] = [];
  const { question, answer, data } = problem;
  for (const tagged of [true, false]) {
    const text = task.demonstration(problem, scripted([tagged ? 0 : 1], draw));
    const end = ending(text);
    if (end?.tagged !== tagged || end.given === '') {
      faults.push(`no ending as wished: ${text}`);
      continue;
    }
    if (task.grade({ question, answer, metadata: data }, end.given, 'strict') !== 1)
      faults.push(`${end.given} for ${answer} should be right`);
    if (task.starter !== null && !STARTER_TEXT.test(text)) faults.push(`strange characters in ${text}`);
  }
  return faults;
}

describe.each(GYM_TASKS)('$name', (task) => {
  const settings = settingsOf(task);
  const each = Math.ceil(PROBLEMS / settings.length / 2);

  it.each(settings)('is sound: $label', (setting) => {
    const { config, label } = setting;
    expect(taskConfigErrors(task, config)).toEqual([]);
    if (label === 'starter') expect(task.space(config)).toBeNull();
    const draw = drawsFor(17, settings.indexOf(setting));
    const seen: Record<Split, Set<string>> = { train: new Set(), eval: new Set() };
    const faults: string[] = [];
    for (const split of ['train', 'eval'] as const) {
      for (let index = 0; index < each; index++) {
        const problem = task.generate(SEED, split, index, config);
        if (
          index < 20 &&
          JSON.stringify(task.generate(SEED, split, index, config)) !== JSON.stringify(problem)
        )
          faults.push(`${split} ${index} is another problem the second time`);
        seen[split].add(problem.question).add(problem.compact);
        faults.push(...problemFaults(task, problem, setting), ...demonstrationFaults(task, problem, draw));
      }
    }
    faults.push(
      ...[...seen.eval].filter((text) => seen.train.has(text)).map((text) => `in both sets: ${text}`),
    );
    expect(faults.slice(0, 5)).toEqual([]);
  });

  it('has a handful of levels', () => {
    expect(task.levels.length).toBeGreaterThanOrEqual(4);
    expect(task.levels.length).toBeLessThanOrEqual(8);
  });
});
