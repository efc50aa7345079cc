/** Every reward is explained: answers beside the reward chart in the first view, and a reason on every row. */
import { expectReadable } from './contrast.ts';
import { expect, test } from './fixtures.ts';
import { goTo, reachPhase } from './page.ts';

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
  { width: 390, height: 844 },
] as const;

test('three answers and the reward chart stand in the first view, each row says the parts of its reward, and the prompt stands as the model sees it', async ({
  page,
  openPage,
}) => {
  await page.setViewportSize(SIZES[0]);
  await openPage({ task: 'reverse_digits', numSteps: 1, evalEvery: 0, evalSamples: 8 });
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const answers = page.getByTestId('live-answers');
  await expect(answers).toContainText('to one problem of step 1');
  const rows = answers.getByRole('listitem');
  await expect(rows).toHaveCount(3);
  for (const viewport of SIZES)
    await test.step(`at ${viewport.width} x ${viewport.height}`, async () => {
      await page.setViewportSize(viewport);
      await page.evaluate(() => window.scrollTo(0, 0));
      const phone = viewport.width < 640;
      await expect(page.getByTestId(phone ? 'number-reward' : 'chart-reward')).toBeInViewport();
      if (phone) await answers.scrollIntoViewIfNeeded();
      await expect(answers.getByText(/^reverse \d+$/)).toBeInViewport();
      for (const row of await rows.all()) {
        await expect(row).toBeInViewport({ ratio: 0.9 });
        await expect(row.getByTestId('reward-reason')).toHaveText(
          /^(Right|Wrong|No number found).*% of the working is right\. Reward: ([+−][\d.]+ ){2,3}= [+−]?[\d.]+$/,
        );
      }
      await expectReadable(answers);
    });

  await answers.getByText('Prompt', { exact: true }).click();
  await expect(answers.locator('details')).toContainText(/reverse.\d+/);
  await page.setViewportSize(SIZES[0]);
  await goTo(page, 'answers');
  const rollouts = page.getByTestId('rollouts');
  await rollouts.getByRole('button', { name: 'Show more' }).click();
  const reasons = rollouts.getByTestId('reward-reason');
  // Half of the starter's answers are right without the tag.
  await expect(
    reasons
      .filter({ hasText: 'Right, but no [ANSWER]. 100% of the working is right. Reward: +1 −2 +2 = +1' })
      .first(),
  ).toBeVisible();
  const [shown, explained] = await Promise.all([
    rollouts.locator('li[data-correct]').count(),
    reasons.count(),
  ]);
  expect(explained).toBe(shown);
  const prompt = rollouts.getByText('As the model sees it').first();
  await prompt.click();
  await expect(rollouts.locator('details').first()).toContainText(/reverse.\d+/);

  await page.getByText('Evaluation', { exact: true }).last().click();
  await expect(rollouts.getByTestId('reward-reason').first()).toBeVisible();
  await expect(rollouts.getByText('As the model sees it')).toHaveCount(8);
  const held = rollouts.getByRole('article').nth(1);
  const question = await held.getByText(/^reverse \d+$/).innerText();
  await held.getByText('As the model sees it').click();
  await expect(held.locator('details')).toContainText(question);
});
