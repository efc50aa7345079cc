/**
 * Each thing that the page offers, in use, at every size and in both schemes: runs that are compared, a pre-flight that found something, a
 * token that is explained, a lesson that has revealed, a hand-in that was checked. `viewports` has the page as a whole. Screenshots to be
 * looked at lie with the test's results.
 */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { expect, slowTest, test } from './fixtures.ts';
import {
  fileBehind,
  goTo,
  holdBack,
  number,
  openFold,
  pauseAtAlarms,
  reachPhase,
  trainToTheEnd,
} from './page.ts';
import { LARGE, SHORT_RUN, SIZES, View } from './view.ts';

const region = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

test('a run in use: answers, tokens, charts, a question, and two runs that are compared', async ({
  page,
  openPage,
}, info) => {
  await page.setViewportSize(LARGE);
  const view = new View(page, info);
  await openPage(SHORT_RUN);
  await trainToTheEnd(page);
  await view.checkPart('end-card', page.getByTestId('end-card'));
  await view.checkPart('live-answers', page.getByTestId('live-answers'));

  await test.step('the rows of an evaluation with their prompts', async () => {
    await goTo(page, 'answers');
    const rollouts = page.getByTestId('rollouts');
    await page.getByText('Evaluation', { exact: true }).last().click();
    await rollouts.getByText('As the model sees it').first().click();
    await expect(rollouts.locator('details code').first()).toBeVisible();
    await view.checkPart('evaluation-rows', rollouts);
  });

  await test.step('a token and its terms', async () => {
    await openFold(page, 'Token inspector');
    const tokens = page.getByTestId('inspector-tokens');
    await tokens.focus();
    await page.keyboard.press('ArrowRight');
    await expect(page.getByTestId('likeliest').getByRole('listitem')).toHaveCount(5);
    await view.checkPart('inspector', page.getByTestId('inspector'));
  });

  await test.step('the menu of a chart, and a metric that was found', async () => {
    await goTo(page, 'train');
    await page.getByTestId('metric-search').fill('entropy');
    await page.getByTestId('metric-search').press('Enter');
    await view.checkPart('found-metric', page.getByTestId('found-metric'));
    const reward = page.getByTestId('chart-reward');
    for (const size of SIZES) {
      await page.setViewportSize(size);
      if (size.width <= 640) await openFold(page, 'Charts');
      await reward.getByRole('button', { name: /: files$/ }).click();
      await expect(page.getByRole('menu')).toBeVisible();
      await view.check(`chart-menu-${size.width}`);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('menu')).toHaveCount(0);
    }
    await page.setViewportSize(LARGE);
  });

  await test.step('a question to the model before and now', async () => {
    await openFold(page, 'Ask the model');
    await page.getByTestId('ask-button').click();
    await expect(page.getByTestId('ask-answers')).toHaveAttribute('data-done', 'true');
    await view.checkPart('ask', page.getByTestId('ask'));
  });

  await test.step('two runs beside each other, and a fork of one', async () => {
    await goTo(page, 'train');
    await number(page, 'Learning rate').fill('0.001');
    await trainToTheEnd(page);
    await goTo(page, 'runs');
    const rows = page.getByTestId('run-row');
    await expect(rows).toHaveCount(2);
    for (const row of await rows.all()) await row.getByRole('checkbox', { name: /^Compare/ }).click();
    await rows
      .last()
      .getByRole('button', { name: /^Baseline/ })
      .click();
    await rows.last().getByRole('button', { name: /^Fork/ }).click();
    await expect(page.getByTestId('fork-form')).toBeVisible();
    await view.checkPart('runs', page.getByTestId('runs'));
    await view.checkPart('compare', page.getByTestId('compare'));
    await goTo(page, 'train');
    await view.checkPart('chart-of-two', page.getByTestId('chart-reward'));
  });

  await test.step('a run that was deleted can be kept yet', async () => {
    await goTo(page, 'runs');
    await page
      .getByTestId('run-row')
      .last()
      .getByRole('button', { name: /^Delete/ })
      .click();
    await view.checkPart('deleted', page.getByTestId('deleted-run'));
  });

  await test.step('the report', async () => {
    const report = await fileBehind(page, 'report-button');
    const other = await page.context().newPage();
    await other.route('**/report.html', (route) =>
      route.fulfill({ contentType: 'text/html', body: Buffer.from(report.bytes) }),
    );
    await other.goto('/report.html');
    for (const size of SIZES) {
      await other.setViewportSize(size);
      await new View(other, info).check(`report-${size.width}`, { fullPage: true });
    }
    await other.close();
  });
});

slowTest(
  'before a run: a recording, what can be tried, settings that are wrong, and what the first answers say',
  async ({ page, openPage }, info) => {
    await page.setViewportSize(LARGE);
    const view = new View(page, info);
    const letThrough = await holdBack(page, '**/models/**');
    await page.goto('./?backend=wasm&keep=off');
    await expect(page.getByTestId('recorded')).toBeVisible();
    await view.checkPart('recorded', page.getByTestId('recorded'));
    letThrough();
    await reachPhase(page, 'idle');
    await goTo(page, 'learn');
    await view.checkPart('try-this', page.getByTestId('try-this'));

    await openPage({ ...SHORT_RUN, keep: 'off' });
    await number(page, 'Steps').fill('0');
    await view.checkPart('train-block', page.getByTestId('train-block'));
    await page.getByTestId('train-block').getByRole('button', { name: 'Use the usual value' }).click();
    const preflight = page.getByTestId('preflight');
    await preflight.getByRole('button', { name: 'Try 8 × 8 answers' }).click();
    await expect(preflight).toContainText(/right format\s*\d+ of 64/);
    await view.checkPart('preflight', preflight);
  },
);

slowTest(
  'a lesson that has revealed, a recipe that failed, and its alarm',
  async ({ page, openPage }, info) => {
    await page.setViewportSize(LARGE);
    const view = new View(page, info);
    await openPage({ evalSamples: 2, lesson: 'clipping', seed: 7 });
    const lesson = page.getByTestId('lesson');
    await lesson.getByRole('radio', { name: /^In neither/ }).check();
    await view.checkPart('lesson-asks', page.getByTestId('lessons'));
    await page.getByTestId('lesson-run').click();
    await expect(page.getByTestId('lesson-reveal')).toBeVisible();
    await view.checkPart('lesson-revealed', page.getByTestId('lessons'));

    await openFold(page, 'Failure zoo');
    const recipe = page.getByTestId('zoo-entropy');
    await pauseAtAlarms(page);
    await recipe.getByRole('button', { name: 'Run it' }).click();
    await expect(recipe.getByTestId('zoo-alarm')).toHaveAttribute('data-right', 'true');
    await reachPhase(page, 'paused');
    await view.checkPart('alarm', page.getByTestId('alarm'));
    await view.checkPart('zoo', recipe);
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await recipe.getByRole('button', { name: /^entropy: /i }).hover();
      await expect(page.getByRole('tooltip')).toContainText('How evenly the model spreads');
      await view.check(`glossary-${size.width}`);
      await page.mouse.move(0, 0);
      await expect(page.getByRole('tooltip')).toHaveCount(0);
    }
  },
);

slowTest(
  'a link for a class, what it keeps, and a run that was handed in',
  async ({ page, openPage }, info) => {
    await page.setViewportSize(LARGE);
    const view = new View(page, info);
    await openPage({ ...SHORT_RUN, maxTokens: 16 });
    await openFold(page, 'For a class');
    await page.getByRole('combobox', { name: 'Settings', exact: true }).selectOption('changed');
    await expect(page.getByTestId('qr-code')).toBeVisible();
    await trainToTheEnd(page);
    await page.getByLabel('Your name, for the file').fill('Ada L.');
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByTestId('hand-in').click()]);
    await page.getByTestId('hand-in-input').setInputFiles({
      name: 'file.json',
      mimeType: 'application/json',
      buffer: await readFile(await saved.path()),
    });
    await page.getByTestId('hand-in-replay').click();
    await expect(page.getByTestId('hand-in-verdict')).toHaveAttribute('data-verdict', 'same');
    await view.checkPart('class', region(page, 'For a class'));

    await openPage({ ...SHORT_RUN, lock: 'all', hide: 'tools,runs' });
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await view.check(`locked-${size.width}`);
    }
  },
);
