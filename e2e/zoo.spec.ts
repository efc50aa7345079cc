/** Alarms and the failure zoo: a recipe is run, named and cured; a run that goes wrong goes on from its last sound state. */
import { ZOO } from '@rl-playground/run/settings';
import { expect, slowTest, test } from './fixtures.ts';
import { openFold, pauseAtAlarms, reachPhase, reachStep, snapshotOf, untilEnd } from './page.ts';

/** The most answers of a recipe, whose panel promises a run of less than a minute. */
const MOST_ANSWERS = 4000;

test('a recipe fails, is named, and is cured with a click; an alarm’s one button does what it says helps', async ({
  page,
  openPage,
}) => {
  await openPage({ task: 'sum_digits', evalSamples: 2 });
  await openFold(page, 'Failure zoo');
  const recipe = page.getByTestId('zoo-entropy');
  const alarm = page.getByTestId('alarm');
  await expect(page.locator('[data-testid^="zoo-"] h3')).toHaveCount(12);
  await pauseAtAlarms(page);
  await recipe.getByRole('button', { name: 'Run it' }).click();
  await expect(recipe.getByTestId('zoo-alarm')).toHaveAttribute('data-right', 'true');
  await reachPhase(page, 'paused');
  await expect(alarm).toHaveCount(1);
  await expect(alarm).toContainText('Sample at temperature 1');
  await recipe.getByRole('button', { name: 'Apply the cure and run again' }).click();
  await expect.poll(async () => (await snapshotOf(page)).config?.temperature).toBe(1);
  await expect(alarm).toHaveCount(0);
  await expect(recipe).toContainText(/The cured run is at step \d+, without an alarm/);
  // The panel draws both runs, and says them in words.
  const chart = recipe.getByTestId('chart-zoo-entropy');
  await reachStep(page, 2);
  await chart.scrollIntoViewIfNeeded();
  await expect(chart.locator('path[data-line="measured"]')).toHaveCount(2);
  await expect(chart).toContainText(/sick run \d.*cured run \d/);
  await expect(chart).toHaveAccessibleDescription(/sick run: from .*cured run: /s);
  const words = await chart.evaluate(
    (figure) => document.getElementById(figure.getAttribute('aria-describedby') ?? '')?.textContent,
  );
  const { entropy } = (await snapshotOf(page)).metrics[0] ?? {};
  expect(Number(/cured run: (?:from )?(\S+) at step 1/.exec(words ?? '')?.[1])).toBeCloseTo(
    entropy ?? NaN,
    2,
  );
  // Other recipes are cured by the same settings, and were never run.
  await expect(page.locator('[data-testid^="zoo-"][data-current="true"]')).toHaveCount(1);

  // Answers of 8 tokens are all cut.
  await openPage({
    task: 'reverse_digits',
    problemsPerStep: 2,
    rolloutsPerProblem: 4,
    maxTokens: 8,
    numGenerators: 1,
    evalSamples: 2,
    evalEvery: 2,
    numSteps: 100_000,
  });
  await pauseAtAlarms(page);
  await page.getByTestId('train-button').click();
  await expect(alarm).toHaveAttribute('data-diagnosis', 'answers-cut');
  await reachPhase(page, 'paused');
  const { run } = await snapshotOf(page);
  await page.getByRole('button', { name: 'Go back and apply this' }).click();
  await expect.poll(async () => (await snapshotOf(page)).config?.maxTokens).toBe(16);
  await expect.poll(async () => (await snapshotOf(page)).run).not.toBe(run);
});

test('a run that its learning rate ruins goes back to the weights that could still answer, and says what was, of the rate that did it', async ({
  page,
  openPage,
}) => {
  const settings = { task: 'reverse_digits', numGenerators: 1, evalSamples: 20, evalEvery: 0, numSteps: 40 };
  await openPage({ ...settings, learningRate: 0.009 });
  await pauseAtAlarms(page);
  await page.getByTestId('train-button').click();
  const alarm = page.getByTestId('alarm');
  await expect(alarm).toHaveAttribute('data-diagnosis', 'ruinous-rate');
  await reachPhase(page, 'paused');
  await expect(alarm).toContainText('At a learning rate of 0.009');
  await expect(page.getByTestId('warmup')).not.toContainText('a warm-up would help');
  const ruined = await snapshotOf(page);
  expect(ruined.metrics.at(-1)?.accuracy).toBeLessThan(0.1);
  await page.getByRole('button', { name: 'Go back and apply this' }).click();
  await expect.poll(async () => (await snapshotOf(page)).config?.learningRate).toBe(0.0009);
  // The weights that the run went back to write answers of which as many are right as of those before the first step.
  await expect.poll(async () => (await snapshotOf(page)).run).not.toBe(ruined.run);
  const back = Number(/\d+/.exec((await page.getByText(/Back to step \d+/).textContent()) ?? '')?.[0]);
  await reachStep(page, back + 3);
  const { metrics } = await snapshotOf(page);
  const first = metrics.find(({ step }) => step === back + 1);
  expect(first?.accuracy).toBeGreaterThan((ruined.metrics[0]?.accuracy ?? 1) - 0.15);
  // What went wrong before is not said of the new rate.
  await expect(alarm).toHaveCount(0);
});

slowTest('each of the twelve is small and named for what it is', async ({ page, openPage }) => {
  await openPage({ evalSamples: 2 });
  await openFold(page, 'Failure zoo');
  for (const { id } of ZOO)
    await test.step(id, async () => {
      const recipe = page.getByTestId(`zoo-${id}`);
      await untilEnd(page, () => recipe.getByRole('button', { name: 'Run it' }).click());
      const { metrics } = await snapshotOf(page);
      const answers = metrics.reduce((sum, { tasks }) => sum + tasks.reduce((all, { n }) => all + n, 0), 0);
      console.log(`${id}: ${metrics.length} steps, ${answers} answers`);
      expect.soft(answers, id).toBeLessThanOrEqual(MOST_ANSWERS);
      await expect.soft(recipe.getByTestId('zoo-alarm'), id).toHaveAttribute('data-right', 'true');
    });
});

test('right answers whose working is wrong raise an alarm, and stand beside the accuracies', async ({
  page,
  openPage,
}) => {
  // Within four steps the model guesses small divisors.
  await openPage({
    task: 'gcd',
    rolloutsPerProblem: 4,
    lrSchedule: 'constant',
    warmupSteps: 0,
    evalSamples: 100,
    evalEvery: 4,
    passAtK: 1,
    numSteps: 5,
  });
  await page.getByTestId('train-button').click();
  const alarm = page.getByTestId('alarm');
  await expect(alarm).toHaveAttribute('data-diagnosis', 'wrong-working');
  await expect(alarm).toHaveAttribute('data-since', '4');
  await reachPhase(page, 'finished');
  const { evaluations } = await snapshotOf(page);
  const row = page.getByTestId('result-Wrong working');
  for (const { samples } of [evaluations[0], evaluations.at(-1)].flatMap((each) => each ?? [])) {
    const shown = samples.flatMap(({ correct, working }) =>
      correct && working !== undefined ? working : [],
    );
    const share = shown.filter((working) => working < 0.5).length / shown.length;
    await expect(row).toContainText(`${(100 * share).toFixed(1)}%`);
  }

  const { run } = await snapshotOf(page);
  await page.getByRole('button', { name: 'Go back and apply this' }).click();
  // The state before the fall is opened as a run first; the settings hold from the run that Train begins with them.
  await expect
    .poll(async () => (await snapshotOf(page)).config)
    .toMatchObject({ klBeta: 0.3, taskConfig: { max_value: 110, step_weight: 2 } });
  expect((await snapshotOf(page)).run).not.toBe(run);
});
