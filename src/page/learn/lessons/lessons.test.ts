import { describe, expect, it } from 'vitest';
import { changedBetween, defaultConfig, parseConfig, type FieldKey } from '@rl-playground/run/settings';
import { METRICS } from '@rl-playground/run/metrics';
import { recordedLesson } from '@rl-playground/run/testing/recordedLessons';
import { deadShare } from './content/deadGroups.ts';
import { LESSON_IDS, type LessonId } from '../../run/address/classroom.ts';
import { COLOURS } from '../../see/charts/specs/spec.ts';
import { LONGEST_NAME } from '../../keep/kept/labels.ts';
import { armConfig, armTitle, verdictText } from './content/lesson.ts';
import { alarmLines } from './content/measure.ts';
import { LESSONS } from './content/lessons.ts';

/** Every text of the table, in order. */
const found = (id: LessonId) => {
  const { outcome, rows, said } = LESSONS[id].find(recordedLesson(id));
  return { outcome, values: rows.map(({ values }) => values), said: said.join(' ') };
};

// The runs were made by the lessons' own settings; the expected numbers were taken from the same record by another program.
describe('what a recorded run reveals', () => {
  it('of format and accuracy: half of the format’s rise comes long before any of the other', () => {
    expect(found('format')).toMatchObject({
      outcome: 'format',
      values: [['49.5% → 83.4%'], ['step 10'], ['52.5% → 57.2%'], ['no rise above 5 points'], ['69% → 59%']],
    });
  });

  it('of the policy gradient: the tokens at which two answers part, before and after', () => {
    const { outcome, values, said } = found('policy-gradient');
    expect([outcome, values]).toEqual(['apart', [['49.2% → 57.6%'], ['50.6% → 42.2%']]]);
    expect(said).toContain(
      'Both answers begin with “3 6 7 1 9 2 5”. There the model wrote “[ANSWER]” with 49%',
    );
  });

  it('of the baseline: which answers were pushed up, and what was learned', () => {
    const { outcome, values, said } = found('baseline');
    expect([outcome, values]).toEqual([
      'with',
      [
        ['97%', '32%'],
        ['52.5%', '62.4%'],
        ['70% → 70%', '70% → 87%'],
      ],
    ]);
    expect(said).toContain('10 points higher with the baseline.');
  });

  it('of the temperature: what differs little teaches little', () => {
    expect(found('temperature')).toMatchObject({
      outcome: 'warm',
      values: [
        ['79.7%', '39.1%'],
        ['77.1%', '15.0%'],
        ['0.04', '0.15'],
        ['70% → 48%', '70% → 91%'],
      ],
    });
  });

  it('of KL: the same reward, and more of the right answers left', () => {
    expect(found('kl')).toMatchObject({
      outcome: 'kept',
      values: [
        ['0.87', '0.80'],
        ['0.260', '0.053'],
        ['70% → 30%', '70% → 58%'],
      ],
    });
  });

  it('of dead groups: more of them as answers get better, and what the formula says of the same p', () => {
    expect(found('dead-groups')).toMatchObject({
      outcome: 'more',
      values: [['54.1% → 83.2%'], ['13.8% → 43.1%'], ['0.9% → 23.0%']],
    });
  });

  it('of clipping: none in one update, some in four', () => {
    expect(found('clipping')).toMatchObject({
      outcome: 'four',
      values: [
        ['0.00%', '0.58%'],
        ['0.00%', '0.99%'],
        ['70% → 84%', '70% → 90%'],
      ],
    });
  });

  it('of group sizes: fewer dead groups, and no better a model', () => {
    const { outcome, values, said } = found('group-size');
    expect([outcome, values]).toEqual([
      'same',
      [
        ['60.4%', '10.0%'],
        ['70% → 95%', '70% → 92%'],
      ],
    ]);
    expect(said).toContain('−3 points from the one with 2 (95% interval −8 to +2');
  });

  it('of lengths: by how much they differ, and how hard the shortest answer was pushed', () => {
    const { outcome, values, said } = found('length-bias');
    expect([outcome, values]).toEqual([
      'longer',
      [
        ['24.2', '23.1'],
        ['49.6', '43.5'],
        ['70% → 90%', '70% → 91%'],
      ],
    ]);
    expect(said).toContain('5 to 66 tokens');
    expect(said).toContain('13.2 times as hard');
    expect(said).toContain('1.14 tokens longer');
  });

  it('of the mismatch: what it does, and what the weights save', () => {
    expect(found('mismatch')).toMatchObject({
      outcome: 'cured',
      values: [
        ['70% → 15%', '70% → 80%'],
        ['22.0%', '0.0%'],
        ['8.9', '9.2'],
      ],
    });
  });
});

describe('a run that came out otherwise', () => {
  const [bare, cured] = recordedLesson('mismatch');
  const [two, eight] = recordedLesson('group-size');
  if (!bare || !cured || !two || !eight) throw new Error('The record lacks runs.');

  it('is told as it came', () => {
    expect(LESSONS.mismatch.find([cured, cured]).outcome).toBeNull();
    expect(LESSONS.mismatch.find([bare, bare]).outcome).toBe('both');
    expect(LESSONS['group-size'].find([bare, eight]).outcome).toBe('eight');
    expect(LESSONS['group-size'].find([eight, bare]).outcome).toBe('two');
    expect(LESSONS['length-bias'].find([two, two]).outcome).toBe('same');
    const [one, four] = recordedLesson('clipping');
    if (!one || !four) throw new Error('The record lacks runs.');
    expect(LESSONS.clipping.find([one, one]).outcome).toBe('neither');
    expect(LESSONS.clipping.find([four, four]).outcome).toBe('both');
    const [cold, warm] = recordedLesson('temperature');
    if (!cold || !warm) throw new Error('The record lacks runs.');
    expect(LESSONS.temperature.find([warm, cold]).outcome).toBe('cold');
    expect(LESSONS.kl.find([warm, cold]).outcome).toBe('worse');
    expect(LESSONS.kl.find([warm, warm]).outcome).toBe('same');
    expect(LESSONS.baseline.find([warm, cold]).outcome).toBe('without');
    const [update] = recordedLesson('policy-gradient');
    const fork = update?.fork;
    if (!update || !fork) throw new Error('The record lacks the fork.');
    const ends = (better: number, worse: number) => ({
      ...update,
      fork: { ...fork, better: { ...fork.better, after: better }, worse: { ...fork.worse, after: worse } },
    });
    expect(LESSONS['policy-gradient'].find([ends(0.6, 0.6)]).outcome).toBe('both');
    expect(LESSONS['policy-gradient'].find([ends(0.4925, 0.5)]).outcome).toBe('neither');
    expect(LESSONS['policy-gradient'].find([ends(0.3, 0.6)]).outcome).toBeNull();
    expect(LESSONS['policy-gradient'].find([{ ...update, fork: null }]).outcome).toBeNull();
  });

  it('names the alarm that it ended under', () => {
    const alarmed = { ...bare, alarm: 'The learning rate is too high' };
    expect(alarmLines(LESSONS.mismatch, [alarmed, { ...cured, alarm: null }])).toEqual([
      'The run “noise alone” ended with the alarm “The learning rate is too high”. Its greedy accuracy on held-out problems went from 70% to 15%.',
    ]);
    expect(alarmLines(LESSONS.format, [alarmed])[0]).toMatch(/^The run ended/);
  });

  it('is held against the prediction', () => {
    const { mismatch } = LESSONS;
    expect(verdictText(mismatch, 'cured', 'cured')).toBe(
      'As you predicted: The first becomes worse, importance weights save the second.',
    );
    expect(verdictText(mismatch, 'both', 'harmless')).toBe(
      'You predicted: Both become worse. The run showed: Both learn: noise averages out.',
    );
    expect(verdictText(mismatch, 'both', null)).toContain('does not settle the question');
  });
});

it('counts dead groups by every outcome of a group', () => {
  // All 2³ groups of three answers, each right with chance 0.3.
  const outcomes = Array.from({ length: 8 }, (_, i) => [i & 1, (i >> 1) & 1, (i >> 2) & 1]);
  const chance = (answers: readonly number[]) => answers.reduce((p, right) => p * (right ? 0.3 : 0.7), 1);
  const alike = outcomes.filter((answers) => new Set(answers).size === 1);
  expect(deadShare(0.3, 3)).toBeCloseTo(
    alike.reduce((sum, answers) => sum + chance(answers), 0),
    12,
  );
});

/** The settings that a lesson is about: those in which its two runs differ, and no other, or in which its one run differs from the task's own. */
const SUBJECT: Readonly<Record<LessonId, FieldKey[]>> = {
  format: ['numSteps', 'problemsPerStep', 'learningRate', 'advantageScale'],
  'policy-gradient': ['numSteps', 'problemsPerStep', 'rolloutsPerProblem', 'learningRate'],
  baseline: ['baseline'],
  'dead-groups': ['numSteps', 'taskConfig'],
  temperature: ['temperature'],
  clipping: ['numSubsteps'],
  'group-size': ['problemsPerStep', 'rolloutsPerProblem'],
  'length-bias': ['lossReduction'],
  kl: ['klBeta'],
  mismatch: ['importanceCap', 'oldLogprobs'],
};

describe.each(LESSON_IDS)('the lesson %s', (id) => {
  const lesson = LESSONS[id];

  it('has settings that differ in what it is about, between its runs or from the task’s own', () => {
    const [one, two] = lesson.arms.map((arm) => armConfig(lesson, arm));
    if (one === undefined) throw new Error('A lesson has a run.');
    if (two !== undefined) expect(changedBetween(one, two).toSorted()).toEqual(SUBJECT[id]);
    else expect(changedBetween(defaultConfig(lesson.task), one)).toEqual(expect.arrayContaining(SUBJECT[id]));
  });

  it('has settings that can be trained with, and an outcome for every answer', () => {
    for (const arm of lesson.arms) {
      const parsed = parseConfig(armConfig(lesson, arm));
      expect(parsed.ok ? [] : parsed.errors).toEqual([]);
    }
    expect(new Set(lesson.choices.map((choice) => choice.id)).size).toBe(lesson.choices.length);
    expect(lesson.choices.length).toBeGreaterThanOrEqual(2);
    expect(lesson.id).toBe(id);
  });

  it('names metrics that there are, in the colours that they have on the page', () => {
    const keys = METRICS.map(({ key }) => key);
    for (const { metrics, curves } of lesson.charts) {
      expect(keys).toEqual(expect.arrayContaining([...metrics]));
      const named = {
        reward: COLOURS.blue,
        accuracy: COLOURS.green,
        format: COLOURS.orange,
        KL: COLOURS.pink,
      };
      for (const { name, colour } of curves)
        for (const [word, meant] of Object.entries(named))
          expect([name, colour === meant]).toEqual([name, name === word]);
    }
  });

  it('names its runs so that each name has room in the list of runs', () => {
    const names = lesson.arms.map((arm) => armTitle(lesson, arm));
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(LONGEST_NAME);
  });
});
