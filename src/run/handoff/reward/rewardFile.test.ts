/** The text of `reward.py`; that its scores are ours is checked by `npm run handoff -- --verify-rewards`, which needs Python. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { taskMix } from '../../../rl/loop/taskMix.ts';
import { customTask, GRADER_DEFAULTS, TASKS, SCORING_MODES } from '@rl-playground/tasks/parts';
import { problemJson } from '../rows.ts';
import { graderIn, refusal } from './graders.ts';
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
/** What Python's `json.loads` gets: its argument is a JSON text of a JSON text. */
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

const defined = (() => {
  const source = fileOf('gcd');
  return { grades: new Set(source.match(/(?<=^def )grade_\w+/gm)), source };
})();

describe('every task', () => {
  it('is handed over by functions that are there, or refused with what to do', () => {
    for (const task of TASKS)
      for (const mode of SCORING_MODES) {
        const grader = graderIn(task, mode);
        if (grader === null) {
          expect(refusal(task, mode), `${task.name}`).toMatch(
            /Hand over a run with|pip install reasoning-gym/,
          );
          continue;
        }
        expect(defined.grades.has(grader.grade), `${task.name}`).toBe(true);
        if (grader.score !== undefined)
          expect(defined.source, `${task.name}`).toMatch(
            new RegExp(`def score_${grader.score}\\(|"${grader.score}": lambda`),
          );
      }
  });

  it('that is handed over stands in docs/handoff.md', () => {
    const docs = readFileSync('docs/handoff.md', 'utf8');
    const [, yes = '', no = ''] = /\n## Tasks\n([^]*?)\n\*\*Refused\*\*([^]*?)\n## /.exec(docs) ?? [];
    const handed = TASKS.filter((task) => SCORING_MODES.some((mode) => graderIn(task, mode) !== null));
    const named = (part: string): string[] => (part.match(/(?<=`)[a-z]\w+(?=`)/g) ?? []).toSorted();
    expect(named(yes.slice(yes.indexOf('Strict and upstream')))).toEqual(
      handed.map(({ name }) => name).toSorted(),
    );
    for (const { name } of handed) expect(no, `${name}`).not.toContain(`\`${name}\``);
  });
});

it('a task of the user’s own is handed over where its grader compares texts', () => {
  const rows = Array.from({ length: 10 }, (_, i) => ({ question: `Question ${i}`, answer: `${i}` }));
  const kinds = (['exact', 'answer_tag', 'boxed', 'number', 'multiple_choice', 'regex'] as const).filter(
    (kind) => {
      const answers = kind === 'multiple_choice' ? rows.map((row) => ({ ...row, answer: 'A' })) : rows;
      const task = customTask({ name: 'mine', rows: answers, grader: GRADER_DEFAULTS[kind], system: '' });
      return graderIn(task, 'strict') !== null;
    },
  );
  expect(kinds).toEqual(['exact', 'answer_tag', 'boxed']);
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
