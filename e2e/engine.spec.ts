/** The engine as a person meets it on the page: losses and their settings, rates, files of settings, schedules and their charts. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { unzipped } from './checkpoint.ts';
import { provenBy } from '@rl-playground/base/testing/proofs';
import { expect, test } from './fixtures.ts';
import {
  chooseSettings,
  downloadRunDirectory,
  drop,
  notice,
  number,
  openFold,
  reachPhase,
  saveSettings,
  snapshotOf,
  status,
  untilEnd,
} from './page.ts';

const SMALL = { task: 'reverse_digits', problemsPerStep: 4, evalSamples: 4, evalEvery: 0, numSteps: 2 };

const block = (page: Page) => page.getByTestId('train-block');
const loss = (page: Page) => page.getByTestId('loss-select');
/** The settings that the page's address holds: those of the form that are not the usual ones. */
const settingsInAddress = (page: Page): string =>
  [...new URL(page.url()).searchParams]
    .map((pair) => pair.join('='))
    .sort()
    .join('&');

test('an impossible combination names its rule, and nothing trains; a loss shows the settings that mean something under it; the rules for the learning rate show their sum first and can be taken back; every loss says what it does and can be trained on at once', async ({
  page,
  openPage,
}) => {
  await openPage(SMALL);
  await openFold(page, 'More settings');
  const schedule = page.getByLabel('Schedule', { exact: true });
  await schedule.selectOption('stream');
  await expect(block(page)).toBeHidden();
  await number(page, 'Problems per step').fill('6');
  await expect(number(page, 'Problems per step')).toHaveAccessibleDescription(
    /6 cannot be cut into 1 × 4 = 4 equal parts/,
  );
  await expect(block(page)).toContainText('“Problems per step”');
  await page.getByRole('button', { name: 'Show it' }).click();
  await expect(number(page, 'Problems per step')).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await expect(notice(page, 'can’t be trained with these settings')).toContainText('multiple of 4');
  await expect(status(page)).toHaveAttribute('data-phase', 'idle');
  await number(page, 'Problems per step').fill('8');
  await expect(block(page)).toBeHidden();
  await schedule.selectOption('sync');

  const clipLow = number(page, 'Clip low');
  const droBeta = number(page, 'DRO β');
  await expect(clipLow).toBeVisible();
  await expect(droBeta).toBeHidden();

  await loss(page).selectOption('dro');
  await expect(clipLow).toBeHidden();
  await expect(droBeta).toBeVisible();
  await droBeta.fill('0.5');

  await loss(page).selectOption('cispo');
  await expect(page.getByRole('status').filter({ hasText: 'Also changed' })).toContainText('Clip high → 5');
  await expect(number(page, 'Clip high')).toHaveValue('5');
  await expect(clipLow).toBeHidden();
  await expect(droBeta, 'a changed value is never hidden').toBeVisible();

  await loss(page).selectOption('grpo');
  await expect(number(page, 'Clip high')).toHaveValue('0.2');
  await expect(page.getByLabel('LoRA α', { exact: true })).toBeHidden();
  await number(page, 'LoRA rank').fill('4');
  await expect(page.getByLabel('LoRA α', { exact: true })).toBeVisible();
  await page.getByRole('checkbox', { name: 'v_proj' }).uncheck();
  await expect.poll(() => settingsInAddress(page)).toContain('loraTargets');

  await openPage({ task: 'sum_digits', problemsPerStep: 96 });
  const rate = number(page, 'Learning rate');
  const before = Number(await rate.inputValue());
  await page.getByRole('button', { name: '√batch rule' }).click();
  // 24 problems of 8 answers are usual.
  await expect(page.getByRole('dialog')).toContainText('√(768 / 192)');
  await expect(rate).toHaveValue(String(before));
  await page.getByRole('dialog').getByRole('button', { name: /^Use/ }).click();
  await expect(rate).toHaveValue(String(2 * before));
  await page.getByRole('button', { name: /^Set Learning rate back to/ }).click();
  await expect(rate).toHaveValue(String(before));

  await openFold(page, 'More settings');
  await number(page, 'LoRA rank').fill('8');
  const width = /"hidden_size": (\d+)/.exec(readFileSync('public/models/starter/config.json', 'utf8'))?.[1];
  await page.getByRole('button', { name: 'LoRA rule' }).click();
  await expect(page.getByRole('dialog')).toContainText(`5e−5 · 10 · (2000 / ${width})^`);
  await expect(page.getByRole('dialog')).toContainText('extrapolation');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByRole('button', { name: 'LoRA rule' })).toBeFocused();
  await expect(rate).toHaveValue(String(before));

  await test.step('every loss', async () => {
    await page.getByLabel('Preset', { exact: true }).selectOption('monarch-digits');
    await page.getByTestId('task-select').selectOption('sum_digits');
    const sentences = new Set<string>();
    for (const name of await loss(page)
      .locator('option')
      .evaluateAll((all) => all.map((each) => each.getAttribute('value') ?? ''))) {
      await loss(page).selectOption(name);
      await expect(block(page), name).toBeHidden();
      sentences.add((await loss(page).locator('xpath=ancestor::div[p][1]/p[1]').textContent()) ?? '');
    }
    expect(sentences.size).toBe(12);
  });
});

test('settings go out as a file and come back the same; a file of another system is read with a report, and a wrong one changes nothing', async ({
  page,
  openPage,
}, testInfo) => {
  await openPage({ ...SMALL, loss: 'dapo', seed: 7, temperature: 0.9, loraRank: 2, schedule: 'async' });
  const saved = await saveSettings(page);
  const there = settingsInAddress(page);
  const text = new TextDecoder().decode(saved.bytes);
  expect(saved.name).toMatch(/\.yaml$/);
  expect(text).toContain('loss: dapo');
  expect(text).toContain('max_steps_off_policy:');

  await openPage();
  expect(settingsInAddress(page)).not.toBe(there);
  await chooseSettings(page, saved.name, text);
  const loaded = (name: string) =>
    page
      .getByTestId('notices')
      .getByRole('status')
      .filter({ hasText: `Settings loaded from ${name}` });
  await expect(loaded(saved.name)).toContainText('used unchanged');
  expect(settingsInAddress(page)).toBe(there);

  await loss(page).selectOption('ppo');
  expect(settingsInAddress(page)).not.toBe(there);
  await drop(page, saved, testInfo);
  await expect.poll(() => settingsInAddress(page)).toBe(there);

  await chooseSettings(
    page,
    'grpo.yaml',
    [
      'model_name_or_path: Qwen/Qwen2.5-1.5B-Instruct',
      'datasets: {syllogism: {weight: 1, config: {invalid_ratio: 0.4}}}',
      'per_device_train_batch_size: 8',
      'num_generations: 4',
      'learning_rate: 2.0e-6',
      'report_to: wandb',
    ].join('\n'),
  );
  const report = loaded('grpo.yaml');
  await expect(report).toContainText('instead of Qwen/Qwen2.5-1.5B-Instruct');
  await expect(report).toContainText(/report_to "wandb".*npx rl-playground track/);
  await expect(page.getByTestId('task-select')).toHaveValue('syllogism');
  await expect(number(page, 'Learning rate')).toHaveValue('2e-6');
  await page.getByRole('button', { name: /^Dismiss: Settings/ }).click();
  await expect(report).toBeHidden();

  const before = settingsInAddress(page);
  await chooseSettings(page, 'wrong.yaml', 'learning_rate: fast\nno_such_thing: 3\n');
  const message = notice(page, 'wrong.yaml was not loaded');
  for (const words of ['learning_rate', '"fast" is not a number', 'choose 0 to 1', 'no_such_thing'])
    await expect(message).toContainText(words);
  expect(settingsInAddress(page)).toBe(before);
});

for (const schedule of provenBy(['stream', 'async'] as const, ['async'] as const)) {
  test(`the charts of a run under ${schedule}`, async ({ page, openPage }) => {
    await openPage({ ...SMALL, schedule, loss: 'reinforce' });
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'finished');
    await openFold(page, 'Time and memory');
    const busy = page.getByTestId('chart-busy');
    await expect(busy).toHaveAttribute('data-points', '2');
    await expect(busy).toContainText(/trainer busy \d+% of the time, generators \d+%/);
    await busy.scrollIntoViewIfNeeded();
    await expect(busy.locator('path[data-line="smoothed"]')).toHaveCount(2);
    await openFold(page, 'Sampler and trainer');
    await expect(page.getByTestId('chart-policy-age')).toBeVisible();
    await expect(page.getByTestId('chart-clip'), 'nothing is clipped').toHaveCount(0);
    await expect(page.getByTestId('chart-kl-sample-train')).toContainText('stable runs stay below 0.01');
    const files = unzipped(await downloadRunDirectory(page));
    expect(
      [...files.keys()].filter((name) => /(config\.json|metrics\.jsonl|rollouts\.jsonl)$/.test(name)),
    ).not.toEqual([]);
    expect((await snapshotOf(page)).config?.schedule).toBe(schedule);
  });
}

test('noise in generators is a setting, and a chart shows how far they are from the trainer', async ({
  page,
  openPage,
}) => {
  await openPage({ ...SMALL, numSteps: 1, samplerNoise: 1.5 });
  await openFold(page, 'Sampler and trainer');
  const chart = page.getByTestId('chart-mismatch');
  /** The largest difference of a run's step. */
  const trained = async (): Promise<number> => {
    await untilEnd(page, () => page.getByTestId('train-button').click());
    const [step] = (await snapshotOf(page)).metrics;
    await expect(chart).toContainText(`of ${step?.mismatchTokens?.toLocaleString('en')} tokens`);
    return step?.mismatchMax ?? NaN;
  };
  expect(await trained()).toBeGreaterThan(0.1);
  await openFold(page, 'More settings');
  await page.getByLabel('Noise in generators', { exact: true }).fill('0');
  expect(await trained()).toBeLessThan(1e-4);
  await chart.scrollIntoViewIfNeeded();
  await expect(chart).toContainText('rounding stays below 0.0001');
  await expect(chart.getByRole('list')).toContainText('largest');
});

test('updates that go too far are named by one alarm, with what helps', async ({ page, openPage }) => {
  // Eight large updates from one batch move the policy far from the answers that it learns from.
  await openPage({ ...SMALL, loss: 'ppo', numSubsteps: 4, ppoEpochs: 2, learningRate: 0.01, warmupSteps: 0 });
  await page.getByTestId('train-button').click();
  const said = page.getByTestId('alarm');
  await expect(said).toHaveCount(1);
  await expect(said).toContainText('Make one update of each batch.');
  await reachPhase(page, 'finished');
  await expect(said).toHaveCount(1);
  await openFold(page, 'Sampler and trainer');
  await expect(page.getByTestId('chart-kl-sample-train').getByRole('status')).not.toBeEmpty();
});
