/** A problem that is followed through a run: the greedy answers of its evaluations, and no figure of the run changed. */
import { beforeAll, expect, test } from 'vitest';
import { createLocalPool, startBackend } from '@rl-playground/engine/parts/tensors';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { timeless } from '../metrics/metrics.ts';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { ProblemWatch } from './problemWatch.ts';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

const NEVER = new AbortController().signal;
const STEPS = 3;
const PLACE = 2;
const CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  numSteps: STEPS,
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  maxTokens: 12,
  learningRate: 0.03,
  evalSamples: 4,
  // The first answers of an evaluation are the greedy ones then.
  evalTemperature: 0,
  passAtK: 0,
};

/** Makes a run that is evaluated before it and behind every step; `heard` hears of it as a listener of the page does. */
async function runHeardBy(heard: ProblemWatch | null): Promise<Session> {
  const session = await Session.open(CONFIG, freshStart(await tinyStarter(starterInNode())), {
    createPool: (generatorModel) => createLocalPool(generatorModel),
    now: () => performance.now(),
  });
  await heard?.opened(session, false, NEVER);
  await session.evaluate({});
  for (let step = 1; step <= STEPS; step++) {
    await session.trainStep({});
    await heard?.betweenSteps(NEVER);
    await session.evaluate({});
  }
  return session;
}

test('its answers are those that the evaluations of the same steps drew greedily, and the run is as it would be', async () => {
  const watch = new ProblemWatch({ pause: 0 });
  watch.follow(PLACE);
  const [watched, alone] = [await runHeardBy(watch), await runHeardBy(null)];
  const { answers, problem } = watch.snapshot();
  expect(problem).toBeNull();
  expect(answers[0]?.from).toBe(0);
  expect(answers.at(-1)?.to).toBe(STEPS);
  const textAt = (step: number): string | undefined =>
    answers.find(({ from, to }) => from <= step && step <= to)?.sample.text;
  expect(watched.evaluations.map(({ step }) => textAt(step))).toEqual(
    watched.evaluations.map(({ samples }) => samples[PLACE]?.text),
  );
  expect(timeless(watched.metrics)).toEqual(timeless(alone.metrics));
  for (const session of [watched, alone]) session.dispose();
  watch.discarded();
  expect(watch.snapshot().answers).toEqual([]);
});

test('a place without a problem is left alone, and another problem begins a list of its own', async () => {
  const watch = new ProblemWatch({ pause: 0 });
  watch.follow(4000);
  const session = await runHeardBy(watch);
  expect(watch.snapshot().answers).toEqual([]);
  watch.follow(0);
  await watch.betweenSteps(NEVER);
  expect(watch.snapshot().answers.map(({ from }) => from)).toEqual([STEPS]);
  session.dispose();
});
