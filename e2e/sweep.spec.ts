/** A sweep that the command line made, opened in the page: its table, and its runs beside each other. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defaultConfig } from '@rl-playground/run/settings';
import { jsonText } from '@rl-playground/base/json';
import type { EvalResult } from '@rl-playground/run/loop';
import { evalFiles, writeMetricsLog } from '@rl-playground/run/records';
import { writeSweep, type SweepRun } from '@rl-playground/run/sweeps';
import { distinctStepMetrics } from '@rl-playground/run/testing/stepMetrics';
import { unreadableIn } from './contrast.ts';
import { expect, test } from './fixtures.ts';
import { dropPath } from './page.ts';

const RATES = [1e-3, 1e-4];

/** Greedy and sampled accuracy. */
const evaluation = (step: number, accuracy: number): EvalResult => ({
  step,
  accuracy,
  format: 1,
  n: 100,
  tasks: [],
  temperature: 1,
  greedy: { accuracy, format: 1 },
  seconds: 1,
  samples: [],
});

/** The folder of a sweep of two rates and two seeds, of which one failed. */
function writeSweepFolder(folder: string): string {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const runs = RATES.flatMap((learningRate, i) =>
    [0, 1].map((seed): SweepRun => {
      const name = `sum_digits-c${i + 1}-seed${seed}`;
      const common = { name, task: 'sum_digits', seed, settings: { learningRate } };
      if (i === 1 && seed === 1) return { ...common, record: null, error: 'the machine burnt down' };
      const [before, after] = [evaluation(0, 0.5), evaluation(2, 0.9 - 0.3 * i - 0.02 * seed)];
      const config = { ...defaultConfig('sum_digits'), numSteps: 2, learningRate, seed };
      write(`runs/${name}/config.json`, jsonText(config));
      const metrics = [1, 2].map((step) => distinctStepMetrics(step, step + seed));
      write(`runs/${name}/metrics.jsonl`, writeMetricsLog(metrics, [before, after]));
      for (const [path, value] of evalFiles([before, after])) write(`runs/${name}/${path}`, jsonText(value));
      const record = {
        task: 'sum_digits',
        seed,
        steps: 2,
        evalBefore: { ...before, samples: undefined },
        evalAfter: { ...after, samples: undefined },
        collapse: i === 0 && seed === 1 ? 'The learning rate is too high' : null,
        curve: [],
        wallSeconds: 2,
      };
      return { ...common, record, error: null };
    }),
  );
  write('sweep.json', writeSweep({ axes: ['learningRate'], grid: '{}', runs }));
  return folder;
}

test('its folder is dropped: table, and runs side by side; the file alone has the table', async ({
  page,
  openPage,
}, testInfo) => {
  await openPage({ task: 'sum_digits' });
  const folder = writeSweepFolder(testInfo.outputPath('rates'));
  await dropPath(page, folder);
  const view = page.getByTestId('sweep');
  const rows = view.getByTestId('sweep-table').getByRole('row');
  // The mean of 0.9 and 0.88. Two seeds have no interval.
  await expect(rows.nth(1).getByRole('cell', { name: '89.0%', exact: true }).first()).toBeVisible();
  await expect(rows.nth(1).getByRole('cell', { name: '+39.0', exact: true }).first()).toBeVisible();
  await expect(rows.nth(1).getByRole('cell', { name: '1 of 2' })).toBeVisible();
  await expect(rows.nth(2)).toContainText('1 of 2');
  await expect(rows.nth(2)).toContainText('0 of 1');
  await expect(view).toContainText('sum_digits-c2-seed1 failed: the machine burnt down');
  await rows.nth(1).getByRole('button', { name: 'Draw' }).click();
  await rows.nth(2).getByRole('button', { name: 'Draw' }).click();
  await expect(view.getByTestId('compare')).toContainText('sum_digits, learningRate 0.001 (2 seeds)');
  await expect(view.getByTestId('difference')).toHaveCount(1);
  expect(await unreadableIn(view)).toEqual([]);
  await rows.nth(2).getByRole('button', { name: 'Drawn' }).click();
  await expect(view.getByTestId('compare')).toBeHidden();

  await page.setViewportSize({ width: 390, height: 800 });
  // Charts behind it take a moment to follow.
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.keyboard.press('Escape');
  await expect(view).toBeHidden();
  await expect(page.getByTestId('arm-legend').first()).toContainText('learningRate 0.001');

  await page.getByTestId('sweep-link').click();
  await page.getByTestId('sweep-file').setInputFiles(join(folder, 'sweep.json'));
  await expect(rows.nth(2).getByRole('button')).toHaveAttribute('aria-disabled', 'true');
  await page.getByTestId('sweep-file').setInputFiles(join(folder, 'runs/sum_digits-c1-seed0/config.json'));
  await expect(view.getByRole('alert')).toContainText('config.json was not opened. It is no sweep.json');
});
