/** Axe checks the page idle, at work and failed, with everything unfolded, light and dark. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { breakWorkers } from './breakWorkers.ts';
import { expectReadable } from './contrast.ts';
import { expect, test } from './fixtures.ts';
import { goTo, inScheme, openFold, PLACES_OF_PAGE, reachPhase, reachStep, unfoldAll } from './page.ts';

const SMALL = {
  task: 'reverse_digits',
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  maxTokens: 16,
  evalSamples: 4,
  evalEvery: 0,
  numGenerators: 1,
  // More than are ever made: the run is paused, or fails.
  numSteps: 100_000,
};

const CONTRAST = 'color-contrast';

/**
 * Each violation with its element, of every rule that axe has or of `rule` alone, on the whole page or inside the element `inside`. Contrast,
 * half of axe's time, is judged by contrast.ts, here beside a run and in viewports.spec.ts in every place and dialog; by axe with PROOFS=all.
 */
async function violations(page: Page, rule?: string, inside?: string): Promise<string[]> {
  // Axe otherwise opens a tab of its own to put its results together, and describes everything that is right.
  const whole = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const axe = inside === undefined ? whole : whole.include(inside);
  if (rule !== undefined) axe.withRules(rule);
  else if (!everyProof) axe.disableRules(CONTRAST);
  const found = await axe.analyze();
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id} (${help}): ${html}\n${failureSummary}`),
  );
}

async function openAll(page: Page): Promise<void> {
  await openFold(page, 'More settings');
  await expect(page.getByRole('searchbox', { name: 'Search settings' })).toBeVisible();
  await unfoldAll(page);
}

test('axe finds nothing with every fold and the drawer open, idle and with a run', async ({
  page,
  openPage,
}) => {
  await openPage(SMALL);
  // The page spares itself this beside a run, and axe reads it all at once.
  await page.addStyleTag({ content: '.away { content-visibility: visible !important; }' });
  await openAll(page);
  // Nearly all of it is looked at beside a run below; what that lacks is the panel of settings while they can be changed.
  const idle = everyProof ? undefined : 'section[aria-label="Settings"]';
  for (const place of PLACES_OF_PAGE) {
    await goTo(page, place);
    await unfoldAll(page);
    expect
      .soft(await violations(page, undefined, place === 'train' ? idle : undefined), `idle, ${place}`)
      .toEqual([]);
  }
  await goTo(page, 'train');
  await inScheme(page, 'dark');
  if (everyProof) expect.soft(await violations(page, CONTRAST), 'idle, dark').toEqual([]);
  await page.getByTestId('train-button').click();
  await reachStep(page, 1);
  // While a run goes on its newest answers come folded, faster than anyone opens them.
  await page.getByTestId('pause-button').click();
  await reachPhase(page, 'paused');
  await unfoldAll(page);
  // Beside a trainer on two cores axe takes minutes; what a paused run shows is what a running one does, but for the name of a button.
  if (everyProof) await page.getByTestId('train-button').click();
  expect.soft(await violations(page), 'with a run').toEqual([]);
  if (!everyProof) await expectReadable(page, ['light', 'dark']);

  // The parts that open over the page. Axe goes through all that is shown, even where it is asked about one part: the folds are closed again.
  if (everyProof) await page.getByTestId('pause-button').click();
  await reachPhase(page, 'paused');
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll('details')) fold.open = false;
  });
  const openers: Readonly<Record<string, () => Promise<void>>> = {
    commands: () => page.keyboard.press('Control+k'),
    help: () => page.getByRole('button', { name: 'Help (?)' }).click(),
    benchmark: async () => {
      await page.keyboard.press('?');
      await page.getByRole('button', { name: 'Benchmark this machine' }).last().click();
    },
    export: async () => {
      await page.getByTestId('export-menu').click();
      await page.getByTestId('export-button').click();
    },
    'model picker': () => page.getByTestId('model-picker-button').click(),
  };
  for (const [name, open] of Object.entries(openers)) {
    await open();
    await expect(page.getByRole('dialog').first()).toBeVisible();
    expect.soft(await violations(page, undefined, '[role="dialog"]'), name).toEqual([]);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Close/ })
      .click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
  await page.getByTestId('export-menu').click();
  expect.soft(await violations(page, undefined, '[role="menu"]'), 'export menu').toEqual([]);
  await page.keyboard.press('Escape');
  await goTo(page, 'runs');
  await page.getByRole('button', { name: /^Fork/ }).first().click();
  expect.soft(await violations(page, undefined, '[data-testid="fork-form"]'), 'fork').toEqual([]);
});

test('axe finds nothing with every fold and the drawer open, failed', async ({ page, openPage }) => {
  await openPage(SMALL);
  await breakWorkers(page, 3);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'failed');
  // The failure adds these parts to a page that was checked whole.
  if (everyProof) await openAll(page);
  const added = everyProof
    ? [undefined]
    : ['[data-testid="notices"]', 'section[aria-label="Training controls and status"]'];
  for (const inside of added) {
    expect.soft(await violations(page, undefined, inside), 'failed').toEqual([]);
    if (inside !== undefined) await expectReadable(page.locator(inside), ['light']);
  }
});
