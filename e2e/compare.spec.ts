/** Runs beside each other once they are ticked: five in the charts, a baseline, what differs; several seeds with their interval; a fork with one setting changed. */
import type { Page } from '@playwright/test';
import { differenceBetween, isDistinguishable } from '@rl-playground/run/diagnosis';
import { expect, test } from './fixtures.ts';
import { expectFocusKept, goTo, reachPhase, snapshotOf, reachKept, textsOf, trainToTheEnd } from './page.ts';

const SETTINGS = {
  task: 'reverse_digits',
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  maxTokens: 24,
  numGenerators: 1,
  evalSamples: 4,
  evalEvery: 0,
  numSteps: 4,
  saveSteps: 2,
};

const rows = (page: Page) => page.getByTestId('run-row');
const legend = (page: Page) => page.getByTestId('arm-legend');

async function trainWith(page: Page, learningRate: string): Promise<void> {
  await goTo(page, 'train');
  await page.getByRole('spinbutton', { name: 'Learning rate', exact: true }).fill(learningRate);
  await trainToTheEnd(page);
  await goTo(page, 'runs');
}

/** Looks at the charts, which are at another place than the list of runs, and comes back. */
async function atCharts(page: Page, look: () => Promise<void>): Promise<void> {
  await goTo(page, 'train');
  await look();
  await goTo(page, 'runs');
}

test('five runs at most are drawn over each other, against a baseline, with what differs', async ({
  page,
  openPage,
}) => {
  await openPage({ ...SETTINGS, numSteps: 1, maxTokens: 12 });
  const rates = ['0.0001', '0.0002', '0.0003', '0.0004', '0.0005', '0.0006'];
  const ends = [];
  for (const [i, rate] of rates.entries()) {
    await trainWith(page, rate);
    await expect(rows(page)).toHaveCount(i + 1);
    const { evaluations, config } = await snapshotOf(page);
    ends.push({ seed: config?.seed ?? 0, evaluation: evaluations.at(-1) });
  }
  const compare = (index: number) =>
    rows(page)
      .nth(index)
      .getByRole('checkbox', { name: /^Compare/ });
  await expect(page.getByTestId('compare')).toBeHidden();
  await goTo(page, 'train');
  await page.getByTestId('end-card').getByRole('button', { name: 'Compare runs' }).click();
  await expect(compare(0)).toBeInViewport();
  for (const index of [0, 1, 2, 3, 4]) await compare(index).click();
  await expect(compare(5)).toBeDisabled();
  await atCharts(page, async () => {
    await expect(legend(page).locator('> span')).toHaveCount(5);
    // The newest is the run on the page, which its own curve shows: four others lie over it.
    const lines = page.getByTestId('chart-reward').locator('path[stroke^="var(--run"]');
    await expect(lines).toHaveCount(4);
  });

  await rows(page)
    .nth(4)
    .getByRole('button', { name: /^Baseline/ })
    .click();
  await atCharts(page, () => expect(legend(page)).toContainText('baseline, dashed'));
  const table = page.getByTestId('compare');
  await expect(table.getByTestId('compared-setting')).toHaveCount(1);
  await expect(table.getByTestId('compared-setting')).toContainText('Learning rate');
  await table.getByRole('switch', { name: 'differences only' }).click();
  expect(await table.getByTestId('compared-setting').count()).toBeGreaterThan(40);

  // The page's words on the newest run against the baseline are those of the calculation from their evaluations.
  const [baseline, newest] = [ends[1], ends[5]];
  if (!baseline?.evaluation || !newest?.evaluation) throw new Error('The runs were not evaluated.');
  const found = differenceBetween(
    [{ seed: baseline.seed, evaluation: baseline.evaluation }],
    [{ seed: newest.seed, evaluation: newest.evaluation }],
  );
  expect(found?.over).toBe('same problems');
  await expect(table.getByTestId('difference').first()).toHaveAttribute(
    'data-sure',
    String(found && isDistinguishable(found)),
  );
  await compare(0).click();

  // The charts of another task, and those after a reload, have no runs that nobody asked for there.
  await goTo(page, 'train');
  const chip = page.getByTestId('chart-reward').getByTestId('earlier-runs');
  await expect(chip).toHaveText('4 earlier runs');
  await expect(legend(page).locator('> span')).toHaveCount(4);
  await page.getByTestId('reset-button').click();
  await reachPhase(page, 'idle');
  await expect(chip).toBeVisible();
  await page.getByTestId('task-select').selectOption('sum_digits');
  await expect(chip).toBeHidden();
  await expect(legend(page)).toBeHidden();
  await goTo(page, 'runs');
  await expect(rows(page).nth(1)).toContainText('not drawn: the charts show another task');
  await goTo(page, 'train');
  await page.getByTestId('task-select').selectOption('reverse_digits');
  await page.getByRole('button', { name: '4 earlier runs: take out of the charts' }).first().click();
  await expectFocusKept(page, 'the runs taken out of the charts');
  await expect(chip).toBeHidden();
  await goTo(page, 'runs');
  for (const index of [0, 1, 2, 3, 4, 5]) await expect(compare(index)).not.toBeChecked();
  await compare(1).click();
  await goTo(page, 'train');
  await expect(chip).toHaveText('1 earlier run');
  await page.reload();
  await goTo(page, 'runs');
  await expect(rows(page)).toHaveCount(6);
  await expect(compare(1)).not.toBeChecked();
  await goTo(page, 'train');
  await expect(chip).toBeHidden();
});

test('three seeds are run one after the other, are one entry of the list, drawn as their mean with an interval once it is ticked, and told from others or not', async ({
  page,
  openPage,
}) => {
  await openPage({ ...SETTINGS, numSteps: 2, seed: 5 });
  await trainWith(page, '0.0003');
  await expect(page.getByRole('button', { name: 'Run 3 seeds' })).toBeVisible();
  // The list of runs with the button is there, as before.
  const said = await textsOf(page, 'runs');
  await page.keyboard.press('Control+k');
  await page.getByTestId('command-field').fill('run 3 seeds');
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveCount(4);
  await expect(page.getByRole('button', { name: 'Run 3 seeds' })).toBeVisible();
  const told = (await said()).flatMap((text) => /Seed \d of 3/.exec(text) ?? []);
  expect(told.filter((words, i) => words !== told[i - 1])).toEqual(
    [1, 2, 3].map((seed) => `Seed ${seed} of 3`),
  );
  // Nobody asked for them in the charts yet.
  await atCharts(page, () => expect(legend(page)).toBeHidden());
  const group = page.getByTestId('run-group');
  await expect(group.getByTestId('run-row')).toHaveCount(3);
  await expect(group.getByRole('checkbox')).toHaveCount(1);
  await group.getByRole('checkbox', { name: /^Compare .* \(3 seeds\)/ }).click();
  await expect(group).toContainText(
    /Accuracy on held-out problems: greedy \d+\.\d% \(\d+\.\d–\d+\.\d\) at step 2/,
  );
  const seeds = await page.evaluate(async () => {
    const runs = (await window.rlPlayground?.kept.list()) ?? [];
    return runs.length;
  });
  expect(seeds).toBe(4);
  expect((await snapshotOf(page)).config?.seed).toBe(7);
  await atCharts(page, async () => {
    const reward = page.getByTestId('chart-reward');
    await expect(reward.getByTestId('earlier-runs')).toHaveText('2 earlier runs');
    await expect(reward.locator('.chart-interval').first()).toBeVisible();
    await expect(legend(page)).toContainText('(3 seeds), mean with 95% interval');
  });

  await rows(page)
    .last()
    .getByRole('checkbox', { name: /^Compare/ })
    .click();
  const table = page.getByTestId('compare');
  await expect(table).toContainText(/\d% \(\d+\.\d–\d+\.\d\) at step 2/);
  await expect(table.getByTestId('compared-setting')).toContainText(['5, 6, 7']);
  await expect(table.getByTestId('difference')).toContainText(/95% interval over/);
});

test('a fork goes on from a checkpoint with one setting changed, and both stand side by side once they are ticked', async ({
  page,
  openPage,
}) => {
  await openPage(SETTINGS);
  await trainWith(page, '0.0003');
  const before = await snapshotOf(page);
  await rows(page).getByRole('button', { name: /^Fork/ }).click();
  const form = page.getByTestId('fork-form');
  await form.getByRole('combobox', { name: 'From step' }).selectOption('2');
  await form.getByRole('textbox', { name: 'Changed to' }).fill('0.0003');
  await form.getByRole('button', { name: 'Fork and train' }).click();
  await expect(form.getByRole('alert')).toContainText('already');
  await form.getByRole('textbox', { name: 'Changed to' }).fill('0.005');
  await form.getByRole('button', { name: 'Fork and train' }).click();
  await expect.poll(async () => (await snapshotOf(page)).run).not.toBe(before.run);
  await expectFocusKept(page, 'a fork');
  // The page may show the end of the run before a moment longer.
  await expect.poll(async () => (await snapshotOf(page)).step).toBe(4);
  await reachPhase(page, 'finished');
  await reachKept(page);
  const after = await snapshotOf(page);
  expect(after.config).toEqual({ ...before.config, learningRate: 0.005 });
  // The first steps are those of the run that it comes from; the rest is its own.
  expect(after.metrics.map(({ step }) => step)).toEqual([1, 2, 3, 4]);
  expect(after.metrics.slice(0, 2)).toEqual(before.metrics.slice(0, 2));
  expect(after.metrics[3]?.loss).not.toBe(before.metrics[3]?.loss);
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first()).toContainText(/forked from .* at step 2/);
  await expect(page.getByTestId('compare')).toBeHidden();
  await atCharts(page, () => expect(legend(page)).toBeHidden());
  await rows(page)
    .last()
    .getByRole('button', { name: /^Baseline/ })
    .click();
  await rows(page)
    .first()
    .getByRole('checkbox', { name: /^Compare/ })
    .click();
  await atCharts(page, () => expect(legend(page)).toContainText('baseline'));
  await expect(page.getByTestId('compare').getByTestId('compared-setting')).toHaveCount(1);
  await expect(page.getByTestId('difference')).toContainText('over the same problems');

  // A second fork of the same run, which is paid otherwise: the table takes it in, the charts do not.
  await rows(page).last().getByRole('button', { name: /^Fork/ }).click();
  await form.getByRole('combobox', { name: 'From step' }).selectOption('2');
  await form.getByRole('combobox', { name: 'Setting' }).selectOption({ label: 'Weight of right working' });
  await form.getByRole('textbox', { name: 'Changed to' }).fill('0.5');
  await form.getByRole('button', { name: 'Fork and train' }).click();
  await expect(rows(page)).toHaveCount(3);
  await expect(rows(page).first().getByTestId('run-changes')).toContainText(
    'Weight of right working 2 → 0.5',
  );
  await expect(page.getByTestId('difference')).toHaveCount(1);
  await rows(page)
    .first()
    .getByRole('checkbox', { name: /^Compare/ })
    .click();
  await expect(page.getByTestId('difference')).toHaveCount(2);
  await goTo(page, 'train');
  await expect(page.getByTestId('chart-reward').getByTestId('earlier-runs')).toBeHidden();
});
