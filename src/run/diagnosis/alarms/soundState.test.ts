import { expect, test } from 'vitest';
import { stepMetricsWith } from '../../testing/stepMetrics.ts';
import { lastSoundStep } from './soundState.ts';

/** Steps of 128 answers in groups of 8, each with its share of right answers and its mean reward. */
const steps = (...values: readonly (readonly [accuracy: number, reward: number])[]) =>
  values.map(([accuracy, reward], i) =>
    stepMetricsWith({ step: i + 1, accuracy, reward, rewardStd: 1, rewardGroupStd: 1, completions: 128 }),
  );
const sound = (states: readonly number[], metrics: ReturnType<typeof steps>): number =>
  lastSoundStep(states, metrics, { rolloutsPerProblem: 8 });

test('a state is judged by the answers that its weights wrote, not by those before', () => {
  // The answers of step 3 are still those of sound weights; step 4 is written by what its update left.
  const ruined = steps([0.48, 1.4], [0.5, 1.5], [0.45, 1.3], [0, -0.6], [0, -0.7], [0, -0.7]);
  expect(sound([0, 3, 5], ruined)).toBe(0);
  expect(sound([0, 2, 5], ruined)).toBe(2);
});

test('of states that differ by no more than luck it is the last', () => {
  // Two shares of 128 answers near one half differ by 0.0625 at one standard error each way.
  expect(sound([0, 1], steps([0.5, 1], [0.45, 1]))).toBe(1);
  expect(sound([0, 1], steps([0.5, 1], [0.3, 1]))).toBe(0);
});

test('rewards decide only where no answer is right', () => {
  expect(sound([0, 1, 2], steps([0, 1], [0, 1.1], [0, -1]))).toBe(1);
  expect(sound([0, 1, 2], steps([0.4, 0], [0.5, 0.2], [0.1, 3]))).toBe(1);
});

test('a state that no step is behind is not measured', () => {
  expect(sound([0, 2], steps([0.5, 1], [0.5, 1]))).toBe(0);
  expect(sound([4, 7], [])).toBe(4);
});
