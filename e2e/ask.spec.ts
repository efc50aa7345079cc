/** A chat with the model before training, of now and of an earlier step: streamed side by side, graded, and offered where a run ends. */
import type { Page } from '@playwright/test';
import { expect, slowTest, test } from './fixtures.ts';
import { goTo, openFold, reachPhase, snapshotOf } from './page.ts';

/**
 * Holds back the texts of the answer before training that the engine reports for the next question, until the test lets one or all of
 * them reach the page. `said` returns the texts that were reported so far.
 */
async function holdTexts(page: Page): Promise<{
  readonly said: () => Promise<readonly string[]>;
  readonly letThrough: (all: boolean) => Promise<void>;
}> {
  await page.evaluate(() => {
    const controller = window.rlPlayground?.controller;
    if (controller === undefined) throw new Error('The engine is not there yet.');
    const look = controller.look.bind(controller);
    const said: string[] = [];
    const held: (() => void)[] = [];
    let letThrough = (_all: boolean): void => undefined;
    Object.assign(window, { said, letThrough: (all: boolean) => letThrough(all) });
    const slowly: typeof look<'chat'> = async (at, config, question, listening) => {
      Reflect.set(controller, 'look', look);
      const answers = await look(at, config, question, {
        ...listening,
        onText: (of, text) => {
          if (of === 'before') said.push(text);
          held.push(() => listening?.onText?.(of, text));
        },
      });
      await new Promise<void>((resolve) => {
        letThrough = (all) => {
          for (const say of held.splice(0, all ? held.length : 1)) say();
          if (all) resolve();
        };
      });
      return answers;
    };
    Reflect.set(controller, 'look', slowly);
  });
  return {
    said: () => page.evaluate(() => Reflect.get(window, 'said') as string[]),
    letThrough: (all) =>
      page.evaluate((every) => (Reflect.get(window, 'letThrough') as (all: boolean) => void)(every), all),
  };
}

test('the end of a run says what it came to, and offers to keep, share and try it: two answers are streamed side by side and graded, and the run goes on as it was', async ({
  page,
  openPage,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openPage({
    task: 'reverse_digits',
    problemsPerStep: 4,
    evalSamples: 8,
    numSteps: 3,
    learningRate: 0.001,
    seed: 7,
  });
  await expect(page.getByTestId('end-card')).toBeHidden();
  await openFold(page, 'Ask the model');
  const question = page.getByTestId('ask-question');
  await expect(question).toHaveValue(/^reverse \d+$/);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await goTo(page, 'train');
  const card = page.getByTestId('end-card');
  const { evaluations } = await snapshotOf(page);
  const percent = (share = NaN): string => `${(100 * share).toFixed(1)}%`;
  await expect(card).toContainText(
    `${percent(evaluations[0]?.greedy?.accuracy)} → ${percent(evaluations.at(-1)?.greedy?.accuracy)} right in 0:`,
  );
  await expect(card).toContainText('accuracy on 8 held-out problems');
  const questions = evaluations[0]?.samples.map((sample) => sample.question) ?? [];
  const shown = await card.locator('p b').allTextContents();
  expect(questions.some((question) => shown.includes(question))).toBe(true);
  await expect(card).toContainText(`One sampled answer each, at temperature ${evaluations[0]?.temperature}`);

  await card.getByTestId('share-run').click();
  await expect(card).toContainText('Copied');
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  expect(Object.fromEntries(link.searchParams)).toMatchObject({
    learningRate: '0.001',
    seed: '7',
    numSteps: '3',
  });

  const saved = page.waitForEvent('download');
  await card.getByRole('button', { name: 'Download the model' }).click();
  expect((await saved).suggestedFilename()).toContain('step-3');
  // The current run answers, whatever the form's settings are.
  await page.getByRole('spinbutton', { name: 'Learning rate', exact: true }).fill('0.002');
  await card.getByTestId('try-model').click();
  await expect(page.getByTestId('ask-question')).toBeInViewport();

  await test.step('two answers', async () => {
    const before = (await snapshotOf(page)).metrics;

    // Hot, a model this small rarely stops by itself.
    await page.getByTestId('ask').getByLabel('Temperature').fill('4');
    const { said, letThrough } = await holdTexts(page);
    const asked = await question.inputValue();
    await page.getByTestId('ask-button').click();
    const answers = page.getByTestId('ask-answers');
    await expect.poll(async () => (await said()).length, 'it grows as it is written').toBeGreaterThan(2);
    const [first = '', ...more] = await said();
    expect(more.at(-1)?.length).toBeGreaterThan(first.length);
    // Both answers are shown while they are written.
    await expect
      .poll(async () => {
        await letThrough(false);
        return answers.locator('pre').first().textContent();
      })
      .toMatch(/[^…▍]/);
    await expect(answers).toHaveAttribute('data-done', 'false');
    await letThrough(true);
    await expect(answers).toHaveAttribute('data-done', 'true');
    await expect(answers).toContainText('Before training');
    await answers.getByText('As the model sees it').first().click();
    await expect(answers.locator('details').first()).toContainText(asked);
    await expect(answers).toContainText('Now, after step 3');
    await expect(answers.locator('b').filter({ hasText: /right|wrong/ })).toHaveCount(2);
    await expect(answers.getByTestId('reward-reason')).toHaveCount(2);

    // Other words in the second turn, which nobody grades; the conversation of each column goes on.
    await page.getByTestId('ask').getByLabel('Temperature').fill('0');
    await expect(question).toHaveValue('');
    await question.fill('reverse 12');
    await question.press('Enter');
    await expect(answers).toHaveAttribute('data-done', 'true');
    const turn = answers.getByTestId('ask-turn').last();
    await expect(turn).toContainText('You: reverse 12');
    await expect(turn.getByTestId('reward-reason')).toHaveCount(0);
    await expect(turn).toContainText(/KL \d+\.\d{3} nats a token/);
    await turn.getByText('As the model sees it').first().click();
    await expect(turn.locator('details').first()).toContainText(asked);
    await reachPhase(page, 'finished');
    expect((await snapshotOf(page)).metrics).toEqual(before);

    // An evaluation does not begin another run either, though the form has other settings by now.
    const evaluated = async () => (await snapshotOf(page)).evaluations.at(-1)?.seconds;
    const earlier = await evaluated();
    await goTo(page, 'train');
    await page.getByRole('button', { name: 'Evaluate now' }).click();
    await expect.poll(evaluated).not.toBe(earlier);
    await reachPhase(page, 'finished');
    expect((await snapshotOf(page)).metrics).toEqual(before);
  });
});

test('a chat begins with one model, has three columns once it has trained, answers between two steps, and is stopped and cleared', async ({
  page,
  openPage,
}) => {
  await openPage({
    task: 'reverse_digits',
    problemsPerStep: 4,
    evalSamples: 4,
    evalEvery: 0,
    numSteps: 400,
    learningRate: 0.003,
    seed: 7,
  });
  await openFold(page, 'Ask the model');
  const answers = page.getByTestId('ask-answers');
  const turns = answers.getByTestId('ask-turn');
  const button = page.getByTestId('ask-button');
  await button.click();
  await expect(answers).toHaveAttribute('data-done', 'true');
  await expect(turns.locator('figure')).toHaveCount(1);
  await expect(turns).toContainText('Before the first step');
  await goTo(page, 'train');
  await page.getByTestId('train-button').click();
  await expect.poll(async () => (await snapshotOf(page)).step).toBeGreaterThan(1);
  await goTo(page, 'answers');
  await page.getByTestId('ask-past').selectOption('1');
  await page.getByTestId('ask-question').fill('reverse 1234');
  await button.click();
  await expect(answers).toHaveAttribute('data-done', 'true');
  const figures = turns.last().locator('figure');
  await expect(figures).toHaveCount(3);
  await expect(figures.nth(0)).toContainText('Before training');
  await expect(figures.nth(1)).toContainText('After step 1');
  await expect(figures.nth(2)).toContainText(/Now, after step \d+/);
  // The answer of the first turn is in the conversation of the model before training and of now, and not in that of step 1.
  const first = (await turns.first().locator('code').first().textContent()) ?? '';
  for (const [i, has] of [true, false, true].entries()) {
    await figures.nth(i).getByText('As the model sees it').click();
    const prompt = figures.nth(i).locator('details');
    await expect(prompt).toContainText('1234');
    if (has && first !== '') await expect(prompt).toContainText(first.trim().split('\n')[0] ?? '');
  }
  // The run has gone on.
  const { step, phase } = await snapshotOf(page);
  expect(phase).toBe('training');
  await expect.poll(async () => (await snapshotOf(page)).step).toBeGreaterThan(step);

  await page.getByTestId('untrained').getByRole('button').click();
  await expect(page.getByTestId('untrained')).toContainText(/answers are the same as before; KL/);

  await page.getByTestId('ask').getByLabel('Temperature').fill('4');
  await page.getByTestId('ask-question').fill('reverse 99');
  const { said } = await holdTexts(page);
  await button.click();
  await expect.poll(async () => (await said()).length).toBeGreaterThan(0);
  await page.getByTestId('ask-stop').click();
  await expect(answers).toHaveAttribute('data-done', 'true');
  await expect(turns.last()).toContainText('Stopped');
  await page.getByTestId('ask-clear').click();
  await expect(turns).toHaveCount(0);
  await expect(page.getByTestId('ask-question')).toHaveValue(/^reverse \d+$/);
});

slowTest(
  'the model before training answers, too, where a warm-up or a reference that follows has left it behind',
  async ({ page, openPage }) => {
    // `run/session/variants.test.ts` holds that another model's answer is told from it.
    await openPage({
      task: 'reverse_digits',
      problemsPerStep: 2,
      evalSamples: 4,
      evalEvery: 0,
      numSteps: 1,
      // So large that no answer stays what it was.
      warmStartSteps: 4,
      warmStartBatch: 4,
      warmStartLearningRate: 0.05,
      klReference: 'past',
      klReferenceEvery: 1,
    });
    await openFold(page, 'Ask the model');
    const answers = page.getByTestId('ask-answers');
    const said = answers.locator('pre');
    const ask = async (title: string): Promise<void> => {
      await page.getByTestId('ask-question').fill('reverse 4711');
      await page.getByTestId('ask-button').click();
      await expect(answers).toHaveAttribute('data-done', 'true');
      await expect(answers).toContainText(title);
    };
    await ask('Before the first step');
    await expect(said).toHaveCount(1);
    const untrained = await said.innerText();
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'finished');
    await page.getByTestId('ask-clear').click();
    await ask('Before training');
    await expect(said.first()).toHaveText(untrained, { useInnerText: true });
    await expect(said.last()).not.toHaveText(untrained, { useInnerText: true });
  },
);
