/** The text of `reward.py`; that its scores are ours is checked by `npx rl-playground handoff --verify-rewards`, which needs Python. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { taskMix } from '@rl-playground/run/loop';
import { customTask, GRADER_DEFAULTS, TASKS, findTask, type ScoringMode } from '@rl-playground/tasks/parts';
import { problemJson } from '../rows.ts';
import { graderOf, LIBRARIES, refusal, requirement, rewardNotes, type LibraryName } from './graders.ts';
import { rewardFile, type Reading } from './rewardFile.ts';

const reading: Reading = {
  stopTokens: [1, 2],
  turnEnd: null,
  stopStrings: ['"quoted"'],
  withoutThoughts: false,
  beginsInThought: false,
};
const fileOf = (task: string, taskConfig = {}): string =>
  rewardFile(taskMix({ task, taskConfig, mixture: [] }), 'strict', reading);
/** The argument of Python's `json.loads`, which is a JSON text of a JSON text. */
function constant(source: string, name: string): unknown {
  const [, literal = ''] = new RegExp(`^${name} = json\\.loads\\((.*)\\)$`, 'm').exec(source) ?? [];
  return JSON.parse(JSON.parse(literal) as string);
}

it('holds the settings of each part, how answers are read, and no name that is not defined', () => {
  const source = fileOf('reverse_digits', { step_weight: 2 });
  expect(constant(source, 'TASKS')).toMatchObject([
    { task: 'reverse_digits', mode: 'strict', grade: 'grade_reverse_digits', settings: { step_weight: 2 } },
  ]);
  expect(constant(source, 'READING')).toMatchObject({ stop_tokens: [1, 2], stop_strings: ['"quoted"'] });
  for (const entry of ['def reward(', 'def compute_score(', 'def grade(']) expect(source).toContain(entry);
});

describe('every task', () => {
  it('is handed over by a function that its own file has, or refused with what to do', () => {
    for (const task of TASKS) {
      const grader = graderOf(task);
      if (grader === null) expect(refusal(task), `${task.name}`).toMatch(/Hand over a run with/);
      else expect(fileOf(task.name), `${task.name}`).toContain(`\ndef ${grader.grade}(`);
    }
  });

  it('needs a library where it is reasoning-gym’s or has its answers in a box, and no other does', () => {
    for (const { name, source } of TASKS.filter((task) => graderOf(task) !== null)) {
      const file = fileOf(name);
      const asked = (['reasoning_gym', 'math_verify'] as const).filter((library) => file.includes(library));
      const needed = source === 'reasoning-gym' ? ['reasoning_gym'] : name === 'gsm8k' ? ['math_verify'] : [];
      expect(asked, `${name}`).toEqual(needed);
      for (const library of asked) expect(file).toContain(`pip install ${requirement(library)}")`);
    }
  });

  it('is listed in docs/commandLine.md by what scores it', () => {
    const docs = readFileSync('docs/commandLine.md', 'utf8');
    const [, part = ''] = /\n### Tasks that can be handed over\n([^]*?)\n\*\*Refused\*\*/.exec(docs) ?? [];
    const namesAfter = (start: string): string[] =>
      (part.split('\n\n').find((paragraph) => paragraph.startsWith(start)) ?? '').match(
        /(?<=`)[a-z]\w+(?=`)/g,
      ) ?? [];
    const by = (library: LibraryName | null): string[] =>
      TASKS.filter((task) => graderOf(task)?.library === library).map(({ name }) => name);
    expect(namesAfter('By rules that are written out:')).toEqual(by(null));
    expect(namesAfter('By math-verify ')).toEqual(by('math_verify'));
    for (const library of Object.keys(LIBRARIES) as LibraryName[])
      expect(docs).toContain(`\`${requirement(library)}\``);
  });
});

describe('not_carried.md', () => {
  const notes = (names: string, mode: ScoringMode): string => {
    const tasks = names.split(' ').map((name) => findTask(name));
    return rewardNotes(
      tasks.filter((task) => task !== null),
      mode,
    ).join('\n');
  };

  it('says where a library scores otherwise than the run does', () => {
    expect(notes('reverse_digits rpn_arithmetic', 'strict')).toBe('');
    expect(notes('gcd lcm', 'upstream')).toBe('');
    expect(notes('gcd reverse_digits lcm gcd', 'strict')).toMatch(
      /^The accuracy of gcd, lcm is reasoning-gym’s own score there\..*strict/,
    );
    expect(notes('gsm8k', 'upstream')).toMatch(/^Answers in a box \(gsm8k\) are compared by math-verify/);
    expect(notes('gcd countdown', 'upstream')).toMatch(/^reasoning-gym evaluates answers to countdown as/);
  });
});

it('a task of the user’s own is handed over where its grader compares texts', () => {
  const rows = Array.from({ length: 10 }, (_, i) => ({ question: `Question ${i}`, answer: `${i}` }));
  const refused: (string | null)[] = [];
  const kinds = (['exact', 'answer_tag', 'boxed', 'number', 'multiple_choice', 'regex'] as const).filter(
    (kind) => {
      const answers = kind === 'multiple_choice' ? rows.map((row) => ({ ...row, answer: 'A' })) : rows;
      const task = customTask({ name: 'mine', rows: answers, grader: GRADER_DEFAULTS[kind], system: '' });
      refused.push(refusal(task));
      return graderOf(task) !== null;
    },
  );
  expect(kinds).toEqual(['exact', 'answer_tag', 'boxed']);
  expect(refused.map((each) => each?.match(/the grader "(\w+)"/)?.[1] ?? null)).toEqual([
    null,
    null,
    null,
    'number',
    'multiple_choice',
    'regex',
  ]);
});

it('a row has the worked steps where steps are paid, without the answer behind them', () => {
  const [paid] = taskMix({ task: 'gcd', taskConfig: { step_weight: 1 }, mixture: [] });
  const [unpaid] = taskMix({ task: 'gcd', taskConfig: {}, mixture: [] });
  if (!paid || !unpaid) throw new Error('There is no task.');
  const problem = paid.task.generate(1, 'train', 0, paid.config);
  const { steps } = JSON.parse(problemJson(paid, problem)) as { steps: string };
  expect(`${steps}\n<answer>${problem.answer}</answer>`).toBe(paid.task.workedAnswer(problem));
  expect(problemJson(unpaid, problem)).not.toContain('"steps"');
});
