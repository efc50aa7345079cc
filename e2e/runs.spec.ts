/** Nothing that was made is lost: every run has a name and a place in the list, and what is put aside or deleted comes back. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from '@playwright/test';
import { unzipped } from './checkpoint.ts';
import { expect, test } from './fixtures.ts';
import {
  choose,
  downloadRunDirectory,
  expectFocusKept,
  goTo,
  notice,
  openFold,
  reachLoaded,
  reachPhase,
  snapshotOf,
  reachKept,
  trainToTheEnd,
} from './page.ts';

/** The fields of a line of rollouts.jsonl that the inspector shows. */
interface RecordedLine {
  readonly step: number;
  readonly advantage: number;
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly train_logprobs: readonly number[];
  readonly entropies: readonly number[];
}

/** A number as the page writes it: three digits, two of very small ones. */
function asShown(value = NaN): string {
  const size = Math.abs(value);
  const text = size !== 0 && size < 1e-3 ? size.toExponential(1) : String(Number(size.toPrecision(3)));
  return `${value < 0 ? '−' : ''}${text.replace('e-', 'e−')}`;
}

const SETTINGS = {
  task: 'reverse_digits',
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  maxTokens: 12,
  numGenerators: 1,
  evalSamples: 4,
  evalEvery: 0,
  numSteps: 2,
  saveSteps: 1,
};

const rows = (page: Page) => page.getByTestId('run-row');
const nameOn = (page: Page) => page.getByTestId('run-name');

/** Notes that the browser has kept: one that is typed a moment before a page is left is lost with it. */
function keptNotes(page: Page): Promise<unknown[]> {
  return page.evaluate(async () => {
    const answered = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result));
        request.addEventListener('error', () => reject(request.error ?? new Error('no answer')));
      });
    const database = await answered(indexedDB.open('rl-playground-runs'));
    const request = database.transaction('labels').objectStore('labels').getAll();
    const labels = await answered(request as IDBRequest<{ note?: string }[]>);
    database.close();
    return labels.map(({ note }) => note);
  });
}

async function reload(page: Page): Promise<void> {
  await page.reload();
  await reachLoaded(page);
}

test('a reset and a deletion can be undone, until the page is opened again; Train behind the end makes another run; both are listed with what differs, a name and a note', async ({
  page,
  openPage,
}) => {
  await openPage(SETTINGS);
  await page.getByTestId('step-button').click();
  await reachPhase(page, 'paused');
  const name = (await nameOn(page).textContent()) ?? '';
  const made = (await snapshotOf(page)).metrics;
  await page.getByTestId('reset-button').click();
  await reachPhase(page, 'idle');
  expect((await snapshotOf(page)).metrics).toEqual([]);
  const aside = page.getByTestId('notices').getByRole('status').filter({ hasText: 'is still under Runs' });
  await expect(aside).toContainText(name);
  await aside.getByRole('button', { name: 'Undo the reset' }).click();
  await reachPhase(page, 'paused');
  await expectFocusKept(page, 'an undone reset');
  expect((await snapshotOf(page)).metrics).toEqual(made);
  await expect(nameOn(page)).toHaveText(name);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await goTo(page, 'runs');
  await expect(rows(page)).toHaveCount(1);

  await page.getByTestId('reset-button').click();
  await reachPhase(page, 'idle');
  await rows(page)
    .getByRole('button', { name: `Delete ${name}` })
    .click();
  await expect(rows(page)).toHaveCount(0);
  await expectFocusKept(page, 'a deletion');
  await page.getByRole('button', { name: `Undo: keep ${name}` }).click();
  await expect(rows(page)).toHaveCount(1);
  await expectFocusKept(page, 'an undone deletion');
  await page.getByRole('button', { name: 'Dismiss: Reset' }).click();
  await expect(aside).toHaveCount(0);
  await expectFocusKept(page, 'a dismissed notice');
  await rows(page)
    .getByRole('button', { name: `Delete ${name}` })
    .click();
  await expect(page.getByTestId('deleted-run')).toContainText(`${name} is deleted`);
  await reload(page);
  await expect.poll(() => page.evaluate(() => window.rlPlayground?.kept.list())).toEqual([]);
  await expect(page.getByTestId('runs')).toBeHidden();

  await trainToTheEnd(page);
  const first = (await nameOn(page).textContent()) ?? '';
  expect(first).toMatch(/^[a-z]+-[a-z]+-\d+$/);
  await expect(rows(page)).toHaveCount(1);

  await goTo(page, 'train');
  await page.getByRole('spinbutton', { name: 'Learning rate', exact: true }).fill('0.001');
  await expect(page.getByTestId('train-button')).toHaveText('New run');
  await trainToTheEnd(page);
  const second = (await nameOn(page).textContent()) ?? '';
  expect(second).not.toBe(first);
  const { greedy } = (await snapshotOf(page)).evaluations.at(-1) ?? {};
  const share = `${(100 * (greedy?.accuracy ?? NaN)).toFixed(1)}%`;
  await expect(page.getByTestId('end-card')).toContainText(`→ ${share}`);
  await goTo(page, 'runs');
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first()).toContainText('reverse_digits at step 2 of 2');
  await expect(rows(page).first()).toContainText(`greedy accuracy ${share}`);
  // Beside the size of a run is a way to keep less.
  await rows(page)
    .first()
    .getByRole('button', { name: /^Keep less of/ })
    .click();
  const pastWeights = page.getByRole('switch', { name: 'Keep the weights of past steps' });
  await expect(pastWeights).toBeFocused();
  await expect(pastWeights).toBeInViewport();
  await expect(rows(page).first().getByTestId('run-changes')).toHaveText('Learning rate 0.0003 → 0.001');
  await expect(
    rows(page)
      .last()
      .getByRole('textbox', { name: /^Name of/ }),
  ).toHaveValue(first);

  await page.getByRole('textbox', { name: `Name of the run ${second}` }).fill('ten times faster');
  await page.keyboard.press('Enter');
  await expect(nameOn(page)).toHaveText('ten times faster');
  await page.getByRole('textbox', { name: 'Note on ten times faster' }).fill('too fast?');
  await page.keyboard.press('Tab');

  await expect.poll(() => keptNotes(page)).toContain('too fast?');
  await reload(page);
  await expect(page.getByTestId('kept-runs')).toContainText('ten times faster');
  await expect(page.getByRole('textbox', { name: 'Note on ten times faster' })).toHaveValue('too fast?');
  await rows(page)
    .last()
    .getByRole('button', { name: `Open: ${first}` })
    .click();
  await reachPhase(page, 'finished');
  expect((await snapshotOf(page)).config?.learningRate).toBe(0.0003);
  await expect(rows(page).last()).toContainText('on the page');

  // Another run after it begins from the model as it was: the same settings make the same run.
  const before = (await snapshotOf(page)).metrics.map(({ reward, loss }) => [reward, loss]);
  await trainToTheEnd(page);
  expect((await snapshotOf(page)).metrics.map(({ reward, loss }) => [reward, loss])).toEqual(before);
  await expect(rows(page)).toHaveCount(3);
});

test('what ends a run asks first where only the tab holds it', async ({ page, openPage, context }) => {
  await openPage({ ...SETTINGS, lesson: 'clipping' });
  const session = await context.newCDPSession(page);
  const { origin } = new URL(page.url());
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1000 });
  await page.getByTestId('step-button').click();
  await reachPhase(page, 'paused');
  await page.getByTestId('reset-button').click();
  await expect(notice(page, 'This run is not saved')).toBeVisible();
  expect((await snapshotOf(page)).step).toBe(1);
  await page.getByRole('button', { name: 'Reset anyway' }).click();
  await reachPhase(page, 'idle');
  expect((await snapshotOf(page)).step).toBe(0);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const { run } = await snapshotOf(page);
  await page.getByTestId('train-button').click();
  await expect(notice(page, 'This run is not saved')).toBeVisible();
  expect(await snapshotOf(page)).toMatchObject({ run, phase: 'finished' });
  const asks = async (loses: string): Promise<void> => {
    await expect(notice(page, 'This run is not saved')).toContainText(loses);
    expect(await snapshotOf(page)).toMatchObject({ run, phase: 'finished' });
    await page.getByRole('button', { name: 'Dismiss: This run is not saved' }).click();
  };
  await asks('Another run replaces it');
  await page.keyboard.press('Control+k');
  await page.getByTestId('command-field').fill('run 3 seeds');
  await page.keyboard.press('Enter');
  await asks('Another run replaces it');
  await page
    .getByTestId('lesson')
    .getByRole('radio', { name: /^In neither/ })
    .check();
  await page.getByTestId('lesson-run').click();
  await asks('Another run replaces it');
  await choose(page, { name: 'half.zip', bytes: new Uint8Array([0x50, 0x4b]) });
  await expect(notice(page, 'This run is not saved')).toContainText('Loading a file replaces it');
  await page.getByRole('button', { name: 'Load anyway' }).click();
  await expect(notice(page, 'half.zip was not loaded')).toBeVisible();
  await page.getByTestId('train-button').click();
  await page.getByRole('button', { name: 'Start anyway' }).click();
  await expect(notice(page, 'This run is not saved')).toBeHidden();
  await expect.poll(async () => (await snapshotOf(page)).run).not.toBe(run);
  await reachPhase(page, 'finished');
  await session.send('Storage.overrideQuotaForOrigin', { origin });
});

test('a run directory opens again with its answers and checkpoints, as a zip and as a folder', async ({
  page,
  openPage,
}, testInfo) => {
  await openPage(SETTINGS);
  await trainToTheEnd(page);
  const given = (await nameOn(page).textContent()) ?? '';
  await goTo(page, 'runs');
  await page.getByRole('textbox', { name: `Name of the run ${given}` }).fill('worth keeping');
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Note on worth keeping' }).fill('for the course');
  await page.keyboard.press('Tab');
  await expect(nameOn(page)).toHaveText('worth keeping');
  const before = await snapshotOf(page);
  const saved = await downloadRunDirectory(page);
  const files = unzipped(saved);
  const contents = (name: string): string => Buffer.from(files.get(name) ?? []).toString('hex');

  const opens = async (): Promise<void> => {
    await reachPhase(page, 'finished');
    const { metrics, evaluations, config } = await snapshotOf(page);
    expect({ metrics, evaluations, config }).toEqual({
      metrics: before.metrics,
      evaluations: before.evaluations,
      config: before.config,
    });
    const again = unzipped(await downloadRunDirectory(page));
    expect([...again.keys()].sort()).toEqual([...files.keys()].sort());
    for (const name of [
      'rollouts.jsonl',
      'metrics.jsonl',
      'checkpoint-1/model.safetensors',
      'final_model/optimizer.safetensors',
    ])
      expect(Buffer.from(again.get(name) ?? []).toString('hex'), name).toBe(contents(name));
  };

  await openPage({});
  await page.getByTestId('load-input').setInputFiles({
    name: saved.name,
    mimeType: 'application/zip',
    buffer: Buffer.from(saved.bytes),
  });
  await expect(page.getByTestId('notices')).toContainText('with the answers of 2 steps');
  await expect(nameOn(page)).toHaveText('worth keeping');
  await opens();

  // The inspector has the numbers of the recorded answers, to the digits that it shows.
  const lines = Buffer.from(files.get('rollouts.jsonl') ?? [])
    .toString()
    .trimEnd()
    .split('\n');
  const first = lines.map((line) => JSON.parse(line) as RecordedLine).find(({ step }) => step === 1);
  await openFold(page, 'Token inspector');
  const inspector = page.getByTestId('inspector');
  await inspector.getByTestId('inspector-step').focus();
  await page.keyboard.press('Home');
  await expect(inspector.getByText('Token 1 of step 1:')).toBeVisible();
  for (const [name, value] of [
    ['token id', String(first?.tokens[0])],
    ['advantage A', asShown(first?.advantage)],
    ['log q, sampled', asShown(first?.logprobs[0])],
    ['log p, trained', asShown(first?.train_logprobs[0])],
    ['entropy', asShown(first?.entropies[0])],
  ] as const)
    await expect(
      inspector.getByTestId('token-numbers').locator('div').filter({ hasText: name }).locator('dd').first(),
    ).toHaveText(value);
  // It has a place in the list of its own, from which it comes back as it was opened.
  await goTo(page, 'runs');
  await expect(rows(page)).toHaveCount(2);
  await expect(
    rows(page)
      .first()
      .getByRole('textbox', { name: /^Note on/ }),
  ).toHaveValue('for the course');
  await reachKept(page);
  await reload(page);
  await page.getByTestId('kept-run').getByRole('button', { name: /^Open/ }).click();
  await opens();

  const folder = testInfo.outputPath('my-run');
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  await page.keyboard.press('Control+k');
  await page.getByTestId('command-field').fill('open a folder');
  // The wait begins before the page is asked something, so that its renderer knows of it: a key overtakes what a test says to a busy one.
  const opened = page.waitForEvent('filechooser');
  // Browsers open the dialog in the midst of a press, or as long as they remember one: five seconds, which a busy page may be late by.
  const pressed = await page.evaluateHandle(() => {
    const seen: string[] = [];
    const click = Reflect.get(HTMLInputElement.prototype, 'click') as (this: HTMLInputElement) => void;
    HTMLInputElement.prototype.click = function () {
      seen.push(window.event?.type ?? 'later');
      click.call(this);
    };
    return seen;
  });
  await page.keyboard.press('Enter');
  const chooser = await opened;
  expect(await pressed.jsonValue()).toEqual(['keydown']);
  await chooser.setFiles(folder);
  await expect(page.getByTestId('notices')).toContainText('my-run is loaded');
  await opens();
  // One that lost its log is a checkpoint or nothing, and says so.
  await choose(page, { name: 'half.zip', bytes: new Uint8Array([0x50, 0x4b]) });
  await expect(notice(page, 'half.zip was not loaded')).toBeVisible();
});
