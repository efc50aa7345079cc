/** Lessons: a prediction, the runs that decide, and what they showed in their own numbers. */
import type { Page } from '@playwright/test';
import { everyProof } from '../src/testing/proofs.ts';
import { expect, test } from './fixtures.ts';
import { expectFocusKept, fileBehind, openFold, press, snapshotOf } from './page.ts';

/** All runs of a lesson, on two cores that others use too. */
const PATIENCE = { timeout: 400_000 };

async function runIt(page: Page, choice: RegExp): Promise<void> {
  const lesson = page.getByTestId('lesson');
  await expect(lesson.getByText('Choose an answer first.')).toBeVisible({ timeout: 60_000 });
  await lesson.getByRole('radio', { name: choice }).check();
  await page.getByTestId('lesson-run').click();
  await expect(page.getByTestId('lesson-progress')).toContainText('step');
  await expect(page.getByTestId('lesson-reveal')).toBeVisible(PATIENCE);
}

const row = (page: Page, what: string) =>
  page.getByTestId('lesson-reveal').getByRole('row').filter({ hasText: what });

test('a link opens a lesson, which reveals what its runs measured and leaves the settings', async ({
  page,
  openPage,
  context,
}) => {
  test.setTimeout(460_000);
  await openPage({ lesson: 'clipping', seed: 7 });
  await runIt(page, /^In neither/);
  const { metrics, config } = await snapshotOf(page);
  expect(config?.numSubsteps).toBe(4);
  expect(metrics).toHaveLength(12);
  // The run on the page is the second of the two.
  const shares = metrics.map(({ clipRegion }) => clipRegion ?? 0);
  const written = (share: number): string => `${(100 * share).toFixed(2)}%`;
  await expect(row(page, 'Most in a step').getByRole('cell')).toHaveText([
    '0.00%',
    written(Math.max(...shares)),
  ]);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  await expect(row(page, 'Clipped tokens').getByRole('cell')).toHaveText(['0.00%', written(mean)]);
  await expect(page.getByTestId('lesson-verdict')).toHaveText(
    'You predicted: In neither. The run showed: Only where four updates are made.',
  );
  await expect(page.getByTestId('lesson-chart')).toHaveCount(2);
  const query = new URL(page.url()).searchParams;
  expect([query.get('lesson'), query.get('seed'), query.get('numSubsteps')]).toEqual(['clipping', '7', null]);
  // Both runs are in the list, by the lesson's name.
  await expect(page.getByText('Lesson: When clipping matters, four updates').first()).toBeVisible();

  // The run on the page as one file, which a browser opens without a page around it.
  await press(page, 'export-button');
  const dialog = page.getByTestId('export-dialog');
  await openFold(page, 'Report');
  await dialog.getByRole('textbox', { name: 'Note' }).fill('<script>alert(1)</script>');
  const report = await fileBehind(page, 'report-download');
  expect(report.name).toBe('report.html');
  await page.getByRole('button', { name: 'Close' }).click();
  const other = await context.newPage();
  other.on('dialog', () => expect('a script ran').toBe(''));
  await other.route('**/report.html', (route) =>
    route.fulfill({ contentType: 'text/html', body: Buffer.from(report.bytes) }),
  );
  await other.goto('/report.html');
  await expect(other.getByRole('heading', { level: 1 })).toContainText('four updates');
  await expect(other.getByText('<script>alert(1)</script>')).toBeVisible();
  await expect(other.getByRole('img', { name: /^Clipped tokens\./ })).toBeVisible();
  const { accuracy } = metrics.at(-1) ?? {};
  await expect(
    other.getByRole('img', {
      name: new RegExp(`^Accuracy\\. .*${(100 * (accuracy ?? 0)).toFixed(1)}% at step 12`),
    }),
  ).toBeVisible();
  await other.setViewportSize({ width: 390, height: 800 });
  expect(await other.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await other.close();

  await page.getByRole('button', { name: 'Ask again' }).click();
  await expect(page.getByTestId('lesson-reveal')).toBeHidden();
  await expectFocusKept(page, 'a lesson that asks again');
  await page.getByTestId('lessons').getByRole('button', { name: 'When clipping matters' }).click();
  await expect(page.getByTestId('lesson')).toBeHidden();
  await expectFocusKept(page, 'a closed lesson');
  expect(new URL(page.url()).searchParams.get('lesson')).toBeNull();
});

for (const [lesson, first] of [
  ['format', /^The form first/],
  ['dead-groups', /^It rises/],
  ['group-size', /^2 answers/],
  ['length-bias', /^They stay longer/],
  ['mismatch', /^The first becomes worse/],
] as const) {
  test(`the runs of ${lesson} take less than two minutes and tell something`, async ({ page, openPage }) => {
    test.skip(!everyProof, 'with PROOFS=all');
    test.setTimeout(460_000);
    await openPage({ lesson });
    const began = Date.now();
    await runIt(page, first);
    const seconds = (Date.now() - began) / 1000;
    const verdict = page.getByTestId('lesson-verdict');
    console.log(
      `${lesson}: ${seconds.toFixed(0)} s, outcome ${await verdict.getAttribute('data-outcome')}\n${await page.getByTestId('lesson-reveal').innerText()}`,
    );
    expect(seconds).toBeLessThan(120);
    await expect(page.getByTestId('lesson-reveal')).not.toContainText('NaN');
    await expect(page.getByTestId('lesson-reveal').getByRole('cell').first()).toContainText(/\d/);
  });
}
