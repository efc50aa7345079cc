/** The whole loop as a person goes through it: train, watch, hold, step, stop, save, and load in a fresh page. */
import type { Page } from '@playwright/test';
import type { EvalResult } from '@rl-playground/run/loop';
import type { RunSnapshot } from '@rl-playground/run/session';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { expect, test } from './fixtures.ts';
import { chartPoints, download, drop, reachPhase, reachStep, shownStep, snapshotOf } from './page.ts';

/** Half the usual answers and no warm-up: reward then rises by 0.7 and more within 30 steps, whatever the seed. */
const SETTINGS = {
  numGenerators: 2,
  rolloutsPerProblem: 4,
  learningRate: 0.0002,
  lrSchedule: 'constant',
  warmupSteps: 0,
  numSteps: 1000,
  evalSamples: everyProof ? 40 : 12,
  passAtK: 4,
  evalEvery: 0,
};
const STEPS = 30;
const RISE = 0.4;

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The charts' points, once each has as many: they are drawn one after the other. */
async function pointsFrom(page: Page, least: number): Promise<number[]> {
  await expect.poll(async () => Math.min(...(await chartPoints(page)))).toBeGreaterThanOrEqual(least);
  return chartPoints(page);
}

const percent = (share = NaN): string => `${(100 * share).toFixed(1)}%`;

/** Expects the page to show sampled, greedy and pass@k accuracies before and after, their gains, and the curves of pass@k. */
async function showsAccuracies(page: Page, { evaluations }: RunSnapshot): Promise<void> {
  const [before, after] = [evaluations[0], evaluations.at(-1)];
  const shares = ({ accuracy, greedy, passAtK }: EvalResult): readonly (number | undefined)[] => [
    accuracy,
    greedy?.accuracy,
    passAtK?.accuracy,
  ];
  if (!before || !after) throw new Error('The run was not evaluated.');
  const rows = ['Sampled', 'Greedy', `pass@${SETTINGS.passAtK}`];
  for (const [i, label] of rows.entries()) {
    const row = page.getByTestId(`result-${label}`);
    for (const result of [before, after]) await expect(row).toContainText(percent(shares(result)[i]));
    await expect(row).toContainText(/points \(.* to .*\)/);
  }
  await expect(page.getByTestId('verdict')).toHaveText(
    /^(Reinforcement (added|widened|sharpened|narrowed|lost)|No accuracy changed)/,
  );
  await expect(page.getByTestId('chart-pass-at-k')).toHaveAttribute(
    'aria-label',
    new RegExp(`before ${percent(before.passAtK?.accuracy)}`),
  );
  const curves = page.getByTestId('chart-pass-at-k');
  const drawing = curves.getByRole('application');
  const last = `pass@${SETTINGS.passAtK}`;
  // A chart is drawn where it is seen.
  await curves.scrollIntoViewIfNeeded();
  await drawing.focus();
  await expect
    .poll(async () => {
      await drawing.press('ArrowRight');
      return curves.textContent();
    })
    .toContain(last);
  for (const [name, result] of [
    ['before', before],
    [`step ${after.step}`, after],
  ] as const) {
    await expect(curves).toContainText(name);
    await expect(curves).toContainText(percent(result.passAtK?.accuracy));
  }
  // The first point is left of everything else.
  await drawing.hover({ position: { x: 60, y: 60 } });
  await expect(curves).toContainText('pass@1');
}

test('trains, is held, stepped and stopped, and goes into a fresh page; no server is asked but the page’s own', async ({
  page,
  openPage,
  context,
  backend,
  requireGpu,
}, testInfo) => {
  // smoke.spec.ts trains a step on a software adapter and on a host without one.
  test.skip(backend !== 'wasm' && !requireGpu && !everyProof, 'with PROOFS=all');
  const asked: string[] = [];
  context.on('request', (request) => asked.push(request.url()));
  await openPage({ ...SETTINGS, preflight: 'on' });
  const adapter = (await page.getByTestId('adapter-line').textContent()) ?? '';
  console.log(`adapter: ${adapter}`);
  await expect(page.getByTestId('adapter-line')).toHaveAttribute('data-backend', backend ?? 'wasm');
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(backend !== null);
  expect(await chartPoints(page)).toEqual([0, 0, 0, 0]);

  await page.getByTestId('task-select').selectOption('reverse_digits');
  await page.getByTestId('train-button').click();
  await reachStep(page, 2);
  const evaluated = async () => (await snapshotOf(page)).evaluations.map(({ step }) => step);
  expect((await evaluated())[0]).toBe(0);
  const early = await pointsFrom(page, 2);
  const more = Math.max(STEPS, ...early.map((points) => points + 1));
  await reachStep(page, more);
  await pointsFrom(page, more);

  await page.getByTestId('pause-button').click();
  await reachPhase(page, 'paused');
  const paused = await snapshotOf(page);
  expect(paused.config?.task).toBe('reverse_digits');
  const rewards = paused.metrics.map(({ reward }) => reward);
  const first = mean(rewards.slice(0, 3));
  const last = mean(rewards.slice(-5));
  const seconds = mean(paused.metrics.map((each) => each.seconds));
  console.log(
    `reward ${first.toFixed(2)} -> ${last.toFixed(2)} in ${rewards.length} steps of ${seconds.toFixed(2)} s`,
  );
  expect(last - first).toBeGreaterThan(RISE);

  // Sampler and trainer differ by rounding alone.
  expect(Math.max(...paused.metrics.map(({ mismatchMax }) => mismatchMax ?? NaN))).toBeLessThan(1e-4);
  const held = await shownStep(page);
  expect(held).toBe(paused.step);
  await page.getByTestId('step-button').click();
  await reachStep(page, held + 1);
  await reachPhase(page, 'paused');
  await expect.poll(() => chartPoints(page)).toEqual([held + 1, held + 1, held + 1, held + 1]);
  expect((await snapshotOf(page)).step).toBe(held + 1);

  await page.getByTestId('stop-button').click();
  await reachPhase(page, 'stopped');
  expect((await evaluated()).at(-1)).toBe(held + 1);
  const stopped = await snapshotOf(page);
  const after = stopped.evaluations.at(-1);
  expect(after?.samples).toHaveLength(SETTINGS.evalSamples);
  await showsAccuracies(page, stopped);

  await page.getByTestId('model-picker-button').click();
  await expect(page.getByTestId('model-picker')).toBeVisible();
  await page.keyboard.press('Escape');
  const saved = await download(page);
  const { origin } = new URL(page.url());
  expect(saved.name).toBe(`rl-playground-reverse_digits-step-${held + 1}.zip`);
  await page.close();

  const fresh = await context.newPage();
  await openPage({}, fresh);
  await drop(fresh, saved, testInfo);
  await reachPhase(fresh, 'paused');
  await reachStep(fresh, held + 1);
  const loaded = await snapshotOf(fresh);
  expect(loaded.config).toEqual(stopped.config);
  expect(loaded.metrics).toEqual(stopped.metrics);
  expect(loaded.evaluations).toEqual(stopped.evaluations);
  await showsAccuracies(fresh, loaded);
  await expect(fresh.getByTestId('task-select')).toHaveValue('reverse_digits');

  // Not only the record: the weights themselves answer as they did.
  await fresh.getByRole('button', { name: 'Evaluate now' }).click();
  await expect
    .poll(async () => (await snapshotOf(fresh)).evaluations.at(-1)?.seconds !== after?.seconds)
    .toBe(true);
  await reachPhase(fresh, 'paused');
  const again = (await snapshotOf(fresh)).evaluations.at(-1);
  expect({ ...again, seconds: 0 }).toEqual({ ...after, seconds: 0 });

  const elsewhere = asked.filter((url) => /^(http|ws)/.test(url) && new URL(url).origin !== origin);
  console.log(`${asked.length} requests, ${elsewhere.length} of them to other servers`);
  expect(asked.length).toBeGreaterThan(10);
  expect(elsewhere).toEqual([]);
});
