/** A run is its seed: not the number of generators, a halt, a saved file or another device may change it. */
import type { Page } from '@playwright/test';
import { defaultConfig, type RunConfig } from '@rl-playground/run/settings';
import { MACHINE_KEYS, type StepMetrics } from '@rl-playground/run/metrics';
import type { Rollout } from '@rl-playground/run/loop';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { stateOf } from './checkpoint.ts';
import { expect, slowTest, test } from './fixtures.ts';
import { choose, download, reachPhase, reachStep, snapshotOf, stopAtStep, type PickedFile } from './page.ts';

const SETTINGS = { task: 'reverse_digits', problemsPerStep: 8, evalSamples: 20, warmupSteps: 0 } as const;

/** A step's record without what the machine decides: times and memory. */
function untimed(metrics: readonly StepMetrics[]): unknown[] {
  return metrics.map((step) => {
    for (const key of MACHINE_KEYS) expect(step[key] ?? 0).toBeGreaterThanOrEqual(0);
    return Object.fromEntries(
      Object.entries(step).filter(([key]) => !MACHINE_KEYS.some((each) => each === key)),
    );
  });
}

/** A completion's record without how long it took. */
function untimedRollouts(rollouts: readonly Rollout[]): unknown[] {
  return rollouts.map(({ samplingSeconds: _seconds, ...rest }) => rest);
}

/** All that a run of a few steps made: every rollout of every step, metrics, evaluation, final state. */
async function record(page: Page, changes: Partial<RunConfig>, steps: number) {
  const config = { ...defaultConfig('reverse_digits', 'default'), ...SETTINGS, ...changes };
  const rollouts = await page.evaluate(
    async ({ config: wanted, steps: times }) => {
      const controller = window.rlPlayground?.controller;
      if (controller === undefined) throw new Error('The engine is not there yet.');
      await controller.reset();
      const made = [];
      for (let step = 0; step < times; step++) {
        await controller.train(wanted, 'step');
        made.push(controller.snapshot().rollouts);
      }
      return made;
    },
    { config, steps },
  );
  await reachPhase(page, 'paused');
  const { metrics, evaluations } = await snapshotOf(page);
  return {
    rollouts: rollouts.map(untimedRollouts),
    metrics: untimed(metrics),
    evaluations: evaluations.map(({ seconds: _seconds, ...rest }) => rest),
    state: stateOf(await download(page)),
  };
}

slowTest(
  'one or four generators, and one seed twice: the same run to the bit; another seed: another run',
  async ({ page, openPage }) => {
    // Pools of one and two workers are held to it in `rollout/workerPool.gpu.test.ts`, runs in `run/session/session.suite.ts`.
    await openPage();
    const one = await record(page, { numGenerators: 1 }, 3);
    const four = await record(page, { numGenerators: 4 }, 3);
    const again = await record(page, { numGenerators: 1 }, 3);
    expect(one.rollouts.map((step) => step.length)).toEqual([64, 64, 64]);
    expect(one.metrics).toHaveLength(3);
    expect(four).toEqual(one);
    expect(again).toEqual(one);
    const other = await record(page, { numGenerators: 1, seed: 1 }, 1);
    expect(other.rollouts[0]).not.toEqual(one.rollouts[0]);
  },
);

slowTest(
  'stopped, saved, loaded in a fresh page and gone on with: the same as never stopped',
  async ({ page, openPage, context }) => {
    // Sessions in Node are held to the same, and the page goes on from its checkpoint in learning.spec.ts.
    const settings = { ...SETTINGS, numSteps: 5, evalEvery: 0 };
    await openPage(settings);
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'finished');
    const whole = await snapshotOf(page);
    const wholeState = stateOf(await download(page));

    await page.getByTestId('reset-button').click();
    await reachPhase(page, 'idle');
    // The page stops the run itself, because a click may come after the end. Samples for the next step are thrown away.
    await stopAtStep(page, 2);
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'stopped');
    const stopped = await snapshotOf(page);
    expect(stopped.step).toBe(2);
    const saved: PickedFile = await download(page);
    await page.close();

    const fresh = await context.newPage();
    await openPage({}, fresh);
    await choose(fresh, saved);
    await reachPhase(fresh, 'paused');
    // The button is found by its test id: the list of kept runs has buttons of this name, too.
    await fresh.getByTestId('train-button').click();
    await reachPhase(fresh, 'finished');
    const resumed = await snapshotOf(fresh);
    expect(untimed(resumed.metrics)).toEqual(untimed(whole.metrics));
    expect(resumed.evaluations.map(({ step }) => step)).toEqual([0, stopped.step, settings.numSteps]);
    expect(resumed.evaluations.at(-1)?.samples).toEqual(whole.evaluations.at(-1)?.samples);
    expect(untimedRollouts(resumed.rollouts)).toEqual(untimedRollouts(whole.rollouts));
    expect(stateOf(await download(fresh))).toEqual(wholeState);
  },
);

test('another device in mid-run keeps the run', async ({ page, openPage }) => {
  await openPage({ ...SETTINGS, numSteps: 8, problemsPerStep: 4, evalSamples: 4 });
  const choice = page.getByRole('radiogroup', { name: 'Compute on' });
  test.skip(!(await choice.isVisible()), 'this browser has no WebGPU to switch to');
  const stepTo = async (step: number) => {
    await page.getByTestId('step-button').click();
    await reachStep(page, step);
    await reachPhase(page, 'paused');
  };
  await stepTo(1);
  await stepTo(2);
  const before = await snapshotOf(page);
  const saved = await download(page);
  if (everyProof) await stepTo(3);
  const onCpu = await snapshotOf(page);

  await choose(page, saved);
  await reachStep(page, 2);
  const adapter = page.getByTestId('adapter-line');
  await choice.getByText('WebGPU').click();
  await expect(adapter).toHaveAttribute('data-backend', 'webgpu');
  await reachPhase(page, 'paused');
  const switched = await snapshotOf(page);
  expect(switched.config).toEqual(before.config);
  expect(switched.metrics).toEqual(before.metrics);
  expect(switched.evaluations).toEqual(before.evaluations);
  expect(stateOf(await download(page))).toEqual(stateOf(saved));

  // What a step on the other device gives, src/run/session/firstStep.gpu.test.ts holds.
  if (!everyProof) return;
  await stepTo(3);
  const onGpu = await snapshotOf(page);
  expect(untimed(onGpu.metrics.slice(0, 2))).toEqual(untimed(before.metrics));
  const texts = (rollouts: typeof onGpu.rollouts) => rollouts.map(({ text }) => text);
  const flipped = texts(onGpu.rollouts).filter((text, i) => text !== texts(onCpu.rollouts)[i]).length;
  console.log(
    `third step on WebGPU: ${flipped} of ${onGpu.rollouts.length} answers differ from those of the CPU`,
  );
  expect(flipped).toBeLessThanOrEqual(1);
  const [gpu, cpu] = [onGpu.metrics[2], onCpu.metrics[2]];
  expect(gpu?.kl).toBeCloseTo(cpu?.kl ?? Number.NaN, 3);
  expect(gpu?.gradNorm).toBeCloseTo(cpu?.gradNorm ?? Number.NaN, 2);
});
