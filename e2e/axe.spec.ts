/** What axe finds on the page: idle, at work and failed, with everything unfolded, light and dark. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { breakWorkers } from './breakWorkers.ts';
import { expect, test } from './fixtures.ts';
import { inScheme, openFold, reachPhase, reachStep } from './page.ts';

const SMALL = {
  task: 'reverse_digits',
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  maxTokens: 16,
  evalSamples: 4,
  evalEvery: 0,
  numGenerators: 1,
  numSteps: 400,
};

/** Opens every fold, and those inside them, until none is left. */
async function unfoldAll(page: Page): Promise<void> {
  const open = (): Promise<number> =>
    page.evaluate(() => {
      const closed = document.querySelectorAll<HTMLDetailsElement>('details:not([open])');
      for (const fold of closed) fold.open = true;
      return closed.length;
    });
  await expect.poll(open).toBe(0);
  await expect(page.getByText('Loading…')).toHaveCount(0);
}

/** Every rule that axe has; each violation with the elements that it is about. */
async function violations(page: Page): Promise<string[]> {
  // By default axe opens a tab of its own to put its results together.
  const found = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id} (${help}): ${html}\n${failureSummary}`),
  );
}

test('axe finds nothing, with every fold open: idle, running and failed, light and dark', async ({
  page,
  openPage,
}) => {
  await openPage(SMALL);
  await openFold(page, 'More settings');
  await unfoldAll(page);
  for (const scheme of ['light', 'dark'] as const) {
    await inScheme(page, scheme);
    expect.soft(await violations(page), `idle, ${scheme}`).toEqual([]);
  }
  await page.getByTestId('train-button').click();
  await reachStep(page, 1);
  await unfoldAll(page);
  expect.soft(await violations(page), 'running').toEqual([]);

  await openPage(SMALL);
  breakWorkers(page, 3);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'failed');
  await openFold(page, 'More settings');
  await unfoldAll(page);
  expect.soft(await violations(page), 'failed').toEqual([]);
});
