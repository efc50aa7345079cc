/** Settings of losses, of the value head and of sampling: in the form, the link, a settings file and on a command line, and hidden where they decide nothing. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { assemble } from '../src/cli/settings/assemble.ts';
import { RUN_FIELDS, type FieldKey, snakeName } from '@rl-playground/run/settings';
import { provenBy } from '@rl-playground/base/testing/proofs';
import { expect, test } from './fixtures.ts';
import { chooseSettings, number, openFold, reachPhase, saveSettings, snapshotOf } from './page.ts';

const SMALL = { task: 'reverse_digits', problemsPerStep: 4, evalSamples: 4, evalEvery: 0, numSteps: 2 };

type Values = Partial<Record<FieldKey, number | string>>;
type Options = Partial<Record<FieldKey, number | string | true>>;

interface Case {
  /** Settings under which the options decide something, and under which they decide nothing. */
  readonly under: Values;
  readonly idle: Values | null;
  readonly options: Options;
}

const MOVING: Values = { loss: 'reinforce', baseline: 'moving' };

/** Numbers of a loss. */
const SAPO: Case = {
  under: { loss: 'sapo' },
  idle: {},
  options: { sapoTemperaturePositive: 0.5, sapoTemperatureNegative: 2 },
};
/** A switch beside a number, as an example for all others. */
const REFERENCE: Case = {
  under: { klBeta: 0.1, klReference: 'past' },
  idle: {},
  options: { klBiasCorrection: true, klReferenceMixup: 0.6 },
};

const CASES: readonly Case[] = [
  SAPO,
  REFERENCE,
  {
    under: { loss: 'vespo' },
    idle: { loss: 'sapo' },
    options: {
      vespoKPositive: 1.5,
      vespoLambdaPositive: 2.5,
      vespoKNegative: 2.5,
      vespoLambdaNegative: 1.5,
    },
  },
  { under: { loss: 'cispo', clipHigh: 5 }, idle: { loss: 'vespo' }, options: { ratioLevel: 'sequence' } },
  {
    under: { oldLogprobs: 'trainer', importanceCap: 2 },
    idle: {},
    options: { importanceMode: 'sequence_mask', importanceFloor: 0.5 },
  },
  {
    under: {},
    idle: null,
    options: { offPolicyThreshold: 0.1, topEntropyQuantile: 0.2, repetitionPenalty: 1.2 },
  },
  {
    under: {},
    idle: { ...MOVING, schedule: 'stream', topK: 1 },
    options: { entropyCoef: 0.01, rewardAggregation: 'normalize_then_sum', minP: 0.1 },
  },
  {
    under: { loss: 'reinforce', baseline: 'value', advantageScale: 'none', ppoEpochs: 2 },
    idle: MOVING,
    options: { gaeGamma: 0.9, gaeLambda: 0.8, valueCoef: 0.5, valueClip: 0.1, valueRate: 3 },
  },
];

/** The run that `npx rl-playground train …` would begin with these words. */
function commanded(words: readonly string[], config?: string) {
  const file = config === undefined ? {} : { config };
  const read = (path: string): string => readFileSync(path, 'utf8');
  const kindOf = (path: string) => (existsSync(path) ? 'file' : null);
  const result = assemble(
    { file, preset: null, options: [], usual: [], set: [], bare: words },
    { kindOf, read, join, dirname, basename },
  );
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result;
}

/** A switch is called by its label and its help. */
const field = (page: Page, key: FieldKey): Locator => {
  const { label } = RUN_FIELDS[key].info;
  return page
    .getByLabel(label, { exact: true })
    .or(page.getByRole('switch', { name: label }))
    .first();
};

async function fill(input: Locator, value: number | string | true): Promise<void> {
  if (typeof value === 'number') await input.fill(String(value));
  else if (value === true) await input.check({ force: true });
  else await input.selectOption(value);
}

for (const { under, idle, options } of provenBy(CASES, [REFERENCE])) {
  const values = Object.entries(options) as [FieldKey, number | string | true][];
  const keys = values.map(([key]) => key);
  test(`${keys.join(', ')}: in form, link, settings file and command line, and hidden where idle`, async ({
    page,
    openPage,
  }, testInfo) => {
    const inAddress = (): (string | null)[] => keys.map((key) => new URL(page.url()).searchParams.get(key));
    const wanted = values.map(([, value]) => String(value));
    await openPage({ ...SMALL, ...under });
    await openFold(page, 'More settings');
    for (const [key, value] of values) await fill(field(page, key), value);
    await expect.poll(inAddress).toEqual(wanted);

    const { name, bytes } = await saveSettings(page);
    const text = new TextDecoder().decode(bytes);
    for (const [key, value] of values) expect(text).toContain(`${snakeName(key)}: ${String(value)}`);
    const path = testInfo.outputPath(name);
    writeFileSync(path, text);
    expect(commanded([], path).config).toMatchObject(options);
    const all = Object.entries({ task: SMALL.task, ...under, ...options });
    const { config, notes } = commanded(all.map(([key, value]) => `${key}=${String(value)}`));
    expect(config).toMatchObject(options);
    expect(notes.filter((note) => note.includes('no effect'))).toEqual([]);

    await openPage({ ...SMALL, ...idle });
    await openFold(page, 'More settings');
    if (idle !== null) for (const key of keys) await expect(field(page, key), key).toBeHidden();
    await chooseSettings(page, name, text);
    await expect.poll(inAddress).toEqual(wanted);
    for (const key of keys) await expect(field(page, key), key).toBeVisible();
    await page.reload();
    await expect.poll(inAddress).toEqual(wanted);
  });
}

test('a value head is chosen, trained and charted; the share of a form’s tags is charted beside the reward’s other parts', async ({
  page,
  openPage,
}) => {
  await openPage({ ...SMALL, loss: 'reinforce', advantageScale: 'none' });
  await openFold(page, 'More settings');
  await expect(number(page, 'Value head: γ')).toBeHidden();
  await page.getByLabel('Baseline', { exact: true }).selectOption('value');
  for (const label of ['γ', 'λ of GAE', 'weight of its loss', 'learning rate, times'])
    await expect(number(page, `Value head: ${label}`)).toBeVisible();
  await expect(number(page, 'Value head: clip range')).toBeHidden();
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const { metrics } = await snapshotOf(page);
  expect(metrics.map(({ valueLoss }) => (valueLoss ?? 0) > 0)).toEqual([true, true]);
  await openFold(page, 'Optimizer');
  for (const id of ['value-loss', 'explained-variance'])
    await expect(page.getByTestId(`chart-${id}`)).toHaveAttribute('data-points', '2');

  const tags = { preset: 'rl-for-real-grpo', task: 'syllogism', maxTokens: 40, evalSamples: 2, numSteps: 1 };
  await openPage({ ...SMALL, ...tags });
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const ofTags = await snapshotOf(page);
  expect(ofTags.metrics.map(({ formatScore }) => formatScore !== null)).toEqual([true]);
  await openFold(page, 'Rewards and groups');
  const chart = page.getByTestId('chart-tags');
  await expect(chart).toHaveAttribute('data-points', '1');
  await expect(chart).toContainText('share of the tags');
});
