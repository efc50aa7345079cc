/** Whether sampler and trainer agree: the badge, the dial that breaks it, and the switch that cures it. */
import { expect, test } from './fixtures.ts';
import { reachPhase, snapshotOf } from './page.ts';

const SMALL = { problemsPerStep: 4, evalSamples: 2, passAtK: 1, maxTokens: 24, numSteps: 1 };

test('the dial and the cure are settings of the run, the badge shows what they do and where nothing does, and a preset sets them', async ({
  page,
  openPage,
}) => {
  await openPage(SMALL);
  const badge = page.getByTestId('agreement-badge');
  const dial = page.getByTestId('sampler-dial');
  const cure = page.getByRole('switch', { name: 'Truncated importance sampling' });
  const setting = (key: string) => () => new URL(page.url()).searchParams.get(key);
  await expect(badge).toHaveText('not measured yet');
  await dial.selectOption('16-bit');
  await expect.poll(setting('generatorPrecision')).toBe('f16');
  await dial.selectOption('noise 1.5');
  await expect.poll(setting('generatorPrecision')).toBeNull();
  await expect.poll(setting('samplerNoise')).toBe('1.5');
  await cure.check();
  await expect.poll(setting('importanceCap')).toBe('2');
  await expect.poll(setting('oldLogprobs')).toBe('trainer');

  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await expect(badge).toHaveAttribute('data-agree', 'false');
  const [step] = (await snapshotOf(page)).metrics;
  expect(Number(await badge.getAttribute('data-greatest'))).toBe(step?.mismatchMax);
  await expect(page.getByTestId('agreement')).toContainText(`of ${step?.mismatchTokens} tokens`);

  await cure.uncheck();
  await dial.selectOption('exact');
  await page.getByTestId('train-button').click();
  await expect(badge).toHaveAttribute('data-agree', 'true');

  await openPage({ ...SMALL, preset: 'sampler-mismatch-cured', task: 'reverse_digits' });
  await expect(dial).toHaveValue('noise 1.5');
  await expect(cure).toBeChecked();
});
