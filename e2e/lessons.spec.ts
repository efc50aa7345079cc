/** Lessons: a prediction, the runs that decide, and what they showed in their own numbers. */
import type { Page } from '@playwright/test';
import type { RunConfig } from '@rl-playground/run/settings';
import { expect, slowTest, test } from './fixtures.ts';
import { expectFocusKept, fileBehind, goTo, snapshotOf } from './page.ts';

async function runIt(page: Page, choice: RegExp): Promise<void> {
  const lesson = page.getByTestId('lesson');
  await expect(lesson.getByText('Make your prediction first.')).toBeVisible();
  await lesson.getByRole('radio', { name: choice }).check();
  await page.getByTestId('lesson-run').click();
  await expect(page.getByTestId('lesson-progress')).toContainText('step');
  await expect(page.getByTestId('lesson-reveal')).toBeVisible();
}

/** Makes the runs of a lesson small: a link, a prediction and a reveal are the same however many answers are behind them. */
async function makeSmall(page: Page): Promise<void> {
  await page.evaluate(() => {
    const controller = window.rlPlayground?.controller;
    if (controller === undefined) throw new Error('The engine is not there yet.');
    const train = controller.train.bind(controller);
    const small = { problemsPerStep: 4, evalSamples: 10 };
    Reflect.set(controller, 'train', (config: RunConfig) => train({ ...config, ...small }));
  });
}

/** The most answers of all runs of a lesson together, evaluations included. */
const MOST_ANSWERS = 16_000;

/** Makes the page count the answers of its runs. The returned function gives their number so far. */
async function countAnswers(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const controller = window.rlPlayground?.controller;
    const counts = new Map<string | null, number>();
    Reflect.set(window, 'counts', counts);
    controller?.subscribe(() => {
      const { run, metrics, evaluations } = controller.snapshot();
      const trained = metrics.flatMap(({ tasks }) => tasks.map(({ n }) => n));
      const all = [...trained, ...evaluations.map(({ n, greedy }) => (greedy ? 2 * n : n))];
      counts.set(
        run,
        all.reduce((sum, n) => sum + n, 0),
      );
    });
  });
  return () =>
    page.evaluate(() => {
      const counts = Reflect.get(window, 'counts') as ReadonlyMap<string | null, number>;
      return [...counts.values()].reduce((sum, n) => sum + n, 0);
    });
}

const row = (page: Page, what: string) =>
  page.getByTestId('lesson-reveal').getByRole('row').filter({ hasText: what });

test('a link opens a lesson, which reveals what its runs measured and leaves the settings', async ({
  page,
  openPage,
  context,
}) => {
  await openPage({ lesson: 'clipping', seed: 7 });
  await makeSmall(page);
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
  await expect(page.getByTestId(/^chart-lesson-/)).toHaveCount(2);
  const query = new URL(page.url()).searchParams;
  expect([query.get('lesson'), query.get('seed'), query.get('numSubsteps')]).toEqual(['clipping', '7', null]);
  // Both runs are in the list, by the lesson's name.
  await goTo(page, 'runs');
  await expect(page.getByText('When clipping matters: four updates').first()).toBeVisible();

  // The run on the page as one file, which a browser opens without a page around it.
  const note = page.getByRole('textbox', { name: 'Note on When clipping matters: four updates' });
  await note.fill('<script>alert(1)</script>');
  await note.blur();
  await goTo(page, 'train');
  const report = await fileBehind(page, 'report-button');
  expect(report.name).toBe('report.html');
  const other = await context.newPage();
  other.on('dialog', () => expect('a script ran').toBe(''));
  await other.route('**/report.html', (route) =>
    route.fulfill({ contentType: 'text/html', body: Buffer.from(report.bytes) }),
  );
  await other.goto('/report.html');
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Reverse digits with starter');
  await expect(other.getByText('Run When clipping matters: four updates.')).toBeVisible();
  await expect(
    other.getByText(/^Greedy accuracy on 10 held-out problems (rose|fell|stayed) .*% in 12 steps\.$/),
  ).toBeVisible();
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

  await goTo(page, 'learn');
  await page.getByRole('button', { name: 'Ask again' }).click();
  await expect(page.getByTestId('lesson-reveal')).toBeHidden();
  await expectFocusKept(page, 'a lesson that asks again');
  await page.getByTestId('lessons').getByRole('button', { name: 'When clipping matters' }).click();
  await expect(page.getByTestId('lesson')).toBeHidden();
  await expectFocusKept(page, 'a closed lesson');
  expect(new URL(page.url()).searchParams.get('lesson')).toBeNull();
});

for (const [lesson, first] of [
  ['clipping', /^In neither/],
  ['format', /^The format first/],
  ['policy-gradient', /^One becomes more likely/],
  ['baseline', /^The one with the baseline/],
  ['temperature', /^At 1/],
  ['kl', /^More of them are left/],
  ['dead-groups', /^It rises/],
  ['group-size', /^2 answers/],
  ['length-bias', /^They stay longer/],
  ['mismatch', /^The first becomes worse/],
] as const) {
  slowTest(`the runs of ${lesson} are small and tell something`, async ({ page, openPage }) => {
    await openPage({ lesson });
    const answersOf = await countAnswers(page);
    await runIt(page, first);
    const answers = await answersOf();
    const verdict = page.getByTestId('lesson-verdict');
    console.log(
      `${lesson}: ${answers} answers, outcome ${await verdict.getAttribute('data-outcome')}\n${await page.getByTestId('lesson-reveal').innerText()}`,
    );
    expect(answers).toBeLessThanOrEqual(MOST_ANSWERS);
    await expect(page.getByTestId('lesson-reveal')).not.toContainText('NaN');
    await expect(page.getByTestId('lesson-reveal').getByRole('cell').first()).toContainText(/\d/);
  });
}
