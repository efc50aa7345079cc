/**
 * The lessons' runs in Node, held against the record that tests of what they reveal read: all of them with PROOFS=all, and otherwise the first
 * steps of the last run of each. `RECORD=lessons PROOFS=all npm test -- unit src/page/learn/lessons` writes the record anew.
 */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { everyProof } from '@rl-playground/base/testing/proofs';
import type { MetricKey } from '@rl-playground/run/metrics';
import { RECORDED, type RecordedArm } from '@rl-playground/run/testing/recordedLessons';
import { runInNode, type RunInNode } from '@rl-playground/run/testing/runInNode';
import { LESSON_IDS } from '../../run/address/classroom.ts';
import { armConfig, type Lesson, type LessonArm } from './content/lesson.ts';
import { LESSONS } from './content/lessons.ts';
import { forkOf } from './fork.ts';

const RECORD = new URL('../../../run/testing/recordedLessons.json', import.meta.url);
const FIRST_STEPS = 2;

/** The metrics that a lesson draws or reads. */
const keysOf = ({ id, charts }: Lesson): readonly MetricKey[] => [
  ...new Set<MetricKey>([
    'accuracy',
    ...charts.flatMap(({ metrics }) => metrics),
    ...(id === 'mismatch' ? (['mismatchMax'] as const) : []),
  ]),
];

/** Lessons that look at the answers of the first step. */
const WITH_ANSWERS: ReadonlySet<string> = new Set(['length-bias', 'baseline']);

const rounded = (value: number | null): number | null =>
  value === null ? null : Number(value.toPrecision(5));

const stepsOf = (lesson: Lesson, { metrics }: RunInNode): RecordedArm['steps'] =>
  Object.fromEntries(keysOf(lesson).map((key) => [key, metrics.map((step) => rounded(step[key]))]));

/** Makes a lesson's run and records it. */
function recordOf(lesson: Lesson, arm: LessonArm, steps: number | 'all'): Promise<RecordedArm> {
  return runInNode(armConfig(lesson, arm), steps, async (run) => {
    const fork = lesson.readsFork === true && steps === 'all' ? await forkOf(run.first, run) : null;
    const token = ({ text, before, after }: NonNullable<typeof fork>['better']) => ({
      text,
      before: rounded(before) ?? 0,
      after: rounded(after) ?? 0,
    });
    return {
      steps: stepsOf(lesson, run),
      greedy: run.evaluations.map(({ samples }) =>
        samples.map(({ greedy }) => (greedy?.correct === true ? '1' : '0')).join(''),
      ),
      answers: WITH_ANSWERS.has(lesson.id)
        ? run.first.map(({ tokens, advantage }) => [tokens.length, rounded(advantage) ?? 0])
        : [],
      alarm: run.alarm,
      fork: fork && { ...fork, better: token(fork.better), worse: token(fork.worse) },
    };
  });
}

describe.each(LESSON_IDS)('the runs of the lesson %s', (id) => {
  const lesson = LESSONS[id];

  it.runIf(everyProof)('are those of the record, step by step and at both ends', async () => {
    const arms: RecordedArm[] = [];
    for (const arm of lesson.arms) arms.push(await recordOf(lesson, arm, 'all'));
    if (process.env['RECORD'] === 'lessons') {
      Object.assign(RECORDED, { [id]: arms });
      const inOrder = Object.fromEntries(LESSON_IDS.map((each) => [each, RECORDED[each]]));
      writeFileSync(RECORD, JSON.stringify(inOrder, null, 2));
    }
    expect(arms).toEqual(RECORDED[id]);
  });

  it('begin as the record does', async () => {
    const arm = lesson.arms.at(-1);
    if (arm === undefined) throw new Error('A lesson has a run.');
    const { numSteps } = armConfig(lesson, arm);
    const { steps } = await recordOf(lesson, arm, Math.min(FIRST_STEPS, numSteps));
    const recorded = RECORDED[id]?.at(-1)?.steps ?? {};
    const begun = Object.fromEntries(
      keysOf(lesson).map((key) => [key, recorded[key]?.slice(0, FIRST_STEPS)]),
    );
    expect(steps).toEqual(begun);
  });
});
