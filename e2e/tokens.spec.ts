/** An answer token by token: its numbers are those of the run, and its terms those of the loss. */
import { unreadable } from './contrast.ts';
import { expect, test } from './fixtures.ts';
import { inScheme, reachPhase } from './page.ts';

for (const viewport of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
])
  test(`tokens are coloured, walked by keyboard and explained at ${viewport.width} pixels`, async ({
    page,
    openPage,
  }) => {
    await page.setViewportSize(viewport);
    await openPage({ task: 'reverse_digits', numSteps: 1, evalEvery: 0, evalSamples: 8 });
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'finished');
    const row = page.getByTestId('rollouts').locator('li[data-correct]').first();
    await row.getByRole('button', { name: 'Tokens' }).click();
    const view = row.getByTestId('token-view');
    const tokens = view.getByRole('group', { name: 'Tokens of the answer' }).getByRole('button');
    await expect(tokens.first()).toBeVisible();
    const numbers = view.getByTestId('token-numbers');
    await expect(numbers).toContainText(/adds to the loss/);
    await expect(numbers).toContainText(/clipped\s*no/);
    await tokens.first().focus();
    await page.keyboard.press('ArrowRight');
    await expect(tokens.nth(1)).toBeFocused();
    await expect(tokens.nth(1)).toHaveAttribute('aria-current', 'true');
    for (const measure of ['entropy', 'ratio', 'gap', 'logprob']) {
      await view.getByLabel('Colour by').selectOption(measure);
      await expect(tokens.first()).toBeVisible();
    }
    for (const scheme of ['light', 'dark'] as const) {
      await inScheme(page, scheme);
      await expect.poll(() => page.evaluate(unreadable)).toEqual([]);
    }
    await view.screenshot({ path: `test-results/tokens-${viewport.width}.png` });
  });
