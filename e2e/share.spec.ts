/** A link or a file carries to another browser a task of the user's own, a page for a class, or a run that is handed in and checked. */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { SETTINGS_VERSION } from '@rl-playground/run/settings';
import { customTaskSchema, linkedText } from '@rl-playground/tasks/parts';
import { expect, test } from './fixtures.ts';
import { goTo, openFold, reachPhase, snapshotOf } from './page.ts';

const SMALL = {
  task: 'reverse_digits',
  problemsPerStep: 2,
  rolloutsPerProblem: 2,
  evalSamples: 4,
  numSteps: 2,
  maxTokens: 16,
};

const ofNumbers = {
  grader: { kind: 'number', absolute: 0, relative: 0, percent: false },
  system: '<img src=x onerror=alert(1)>',
};
const fileOf = (...tasks: readonly object[]): string =>
  JSON.stringify({ kind: 'rl-playground own tasks', version: 1, tasks });
const TASKS = fileOf({
  ...ofNumbers,
  name: 'Sums of mine',
  rows: Array.from({ length: 40 }, (_, i) => ({ question: `${i}+1`, answer: String(i + 1) })),
});

test('a link carries a task of the user’s own to another browser, which adds it where its reader says so', async ({
  page,
  openPage,
  browser,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openPage(SMALL);
  await openFold(page, 'Your own task');
  await page
    .getByTestId('own-import')
    .setInputFiles({ name: 'own.json', mimeType: 'application/json', buffer: Buffer.from(TASKS) });
  await page.getByRole('button', { name: 'Choose Sums of mine' }).click();
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await goTo(page, 'train');
  await page.getByTestId('share-run').click();
  await expect(page.getByTestId('end-card')).toContainText(
    'Copied. The link holds the settings, the seed and your own task.',
  );
  const link = await page.evaluate(() => navigator.clipboard.readText());
  // The same from the menu, whatever the end card says.
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await page.getByTestId('export-menu').click();
  await page.getByTestId('link-button').click();
  await expect(page.getByTestId('notices')).toContainText(
    'Copied. The link holds the settings, the seed and your own task.',
  );
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  await page.getByTestId('export-menu').click();
  const [report] = await Promise.all([
    page.waitForEvent('download'),
    page.getByTestId('report-button').click(),
  ]);
  expect(report.suggestedFilename()).toBe('report.html');
  expect(await readFile(await report.path(), 'utf8')).toMatch(/^<!doctype html>/i);

  const elsewhere = await browser.newContext();
  const other = await elsewhere.newPage();
  await other.goto(link);
  const offer = other.getByTestId('notices');
  await expect(offer).toContainText('This link includes a task by its author');
  await expect(offer).toContainText('Sums of mine: 40 rows. The first asks: 0+1');
  await expect(other.getByRole('img', { name: 'x' })).toHaveCount(0);
  await offer.getByRole('button', { name: 'Add the task' }).click();
  await expect(offer).not.toContainText('This link includes');
  await expect(other.getByTestId('task-select')).toHaveValue('own:Sums of mine');
  await expect(other.getByRole('option', { name: 'Sums of mine' })).toHaveCount(1);
  expect(new URL(other.url()).hash).toBe('');
  await elsewhere.close();
});

test('a task of a link that is not sound is not added, and the page says why', async ({ page, openPage }) => {
  const rows = Array.from({ length: 4 }, () => ({ question: 'always the same', answer: '1' }));
  const task = customTaskSchema.parse({ ...ofNumbers, name: 'Four rows', rows });
  await openPage(SMALL);
  await page.goto(`${page.url()}#own=${await linkedText([task])}`);
  await page.reload();
  const notices = page.getByTestId('notices');
  await notices.getByRole('button', { name: 'Add the task' }).click();
  await expect(notices).toContainText('A task of this link was not added');
  await expect(notices).toContainText(/different questions? (is|are) left for (training|evaluation)/);
  await expect(page.getByTestId('task-select')).toHaveValue('reverse_digits');
});

test('a task that is too long for a link goes beside it as a file', async ({ page, openPage, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openPage(SMALL);
  await openFold(page, 'Your own task');
  // Digits of a hash say nothing twice, so that they do not get shorter.
  const question = (row: number): string => createHash('sha512').update(String(row)).digest('hex');
  const rows = Array.from({ length: 200 }, (_, i) => ({ question: question(i), answer: String(i) }));
  const [large, small] = [
    { ...ofNumbers, name: 'Hashes', rows },
    { ...ofNumbers, name: 'One', rows: rows.slice(0, 8) },
  ];
  await page.getByTestId('own-import').setInputFiles({
    name: 'own.json',
    mimeType: 'application/json',
    buffer: Buffer.from(fileOf(large, small)),
  });
  await page.getByRole('button', { name: 'Choose Hashes' }).click();
  await goTo(page, 'train');
  await page.getByTestId('export-menu').click();
  await page.getByTestId('link-button').click();
  const notices = page.getByTestId('notices');
  await expect(notices).toContainText('The link does not include Hashes: a link holds at most 8 kB.');
  expect(new URL(await page.evaluate(() => navigator.clipboard.readText())).hash).toBe('');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    notices.getByRole('button', { name: 'Save the file' }).click(),
  ]);
  const saved = JSON.parse(await readFile(await file.path(), 'utf8')) as { tasks: (typeof large)[] };
  // The file has the task of the run and no other.
  expect(saved.tasks.map(({ name, rows: kept }) => ({ name, rows: kept }))).toEqual([
    { name: 'Hashes', rows },
  ]);
});

test('a link for a class keeps settings, which no button changes either, and leaves parts of the page out', async ({
  page,
  openPage,
}) => {
  await openPage({ ...SMALL, lock: 'learningRate,loss', hide: 'settings,runs,tools,everything' });
  await expect(page.getByRole('spinbutton', { name: 'Learning rate', exact: true })).toBeDisabled();
  await expect(page.getByRole('spinbutton', { name: 'Steps', exact: true })).toBeEnabled();
  await expect(page.getByText('The link that opened this page locks 2 settings.')).toBeVisible();
  for (const part of ['More settings', 'Ask the model', 'Reward calculator'])
    await expect(page.getByText(part, { exact: true })).toHaveCount(0);
  await expect(page.getByText('More charts')).toBeVisible();
  await expect(page.getByTestId('notices')).toContainText('hide: "everything" is not a part of the page');
  await expect(page.getByText('For a class')).toHaveCount(0);
  // The parts that were hidden stay hidden when the form changes the address.
  await page.getByRole('spinbutton', { name: 'Steps', exact: true }).fill('3');
  await expect.poll(() => new URL(page.url()).searchParams.get('numSteps')).toBe('3');
  expect(new URL(page.url()).searchParams.get('lock')).toBe('learningRate,loss');

  await openPage({ ...SMALL, lock: 'all' });
  const same = page.getByTestId('preflight').locator('[data-finding=same_losses]');
  await expect(same).toContainText('With one update per batch');
  await expect(same.getByRole('button')).toHaveCount(0);
  await openFold(page, 'Failure zoo');
  await expect(page.getByTestId('zoo-entropy').getByRole('button', { name: 'Run it' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await goTo(page, 'runs');
  await page.getByRole('button', { name: /^Fork/ }).click();
  await expect(page.getByTestId('runs')).toContainText('locks settings');
  await expect(page.getByRole('button', { name: 'Run 3 seeds' })).toHaveCount(0);
  expect(new URL(page.url()).searchParams.get('numSubsteps')).toBeNull();
});

test('the page makes a link for a class, with a code for phones', async ({ page, openPage }) => {
  await openPage(SMALL);
  await openFold(page, 'For a class');
  await page.getByRole('combobox', { name: 'Settings', exact: true }).selectOption('changed');
  await page.getByRole('checkbox', { name: /^What the model writes/ }).check();
  await page.getByRole('checkbox', { name: 'Evaluation', exact: true }).check();
  const link = page.getByTestId('class-link');
  await expect(link).toContainText('hide=');
  const { searchParams } = new URL((await link.textContent()) ?? '');
  expect(searchParams.get('hide')).toBe('evaluation,rollouts');
  expect(searchParams.get('lock')?.split(',')).toEqual(expect.arrayContaining(['numSteps', 'maxTokens']));
  expect(searchParams.get('maxTokens')).toBe('16');
  expect([searchParams.get('seed'), searchParams.get('v')]).toEqual(['0', String(SETTINGS_VERSION)]);
  await expect(page.getByTestId('qr-code')).toBeVisible();

  await page.getByLabel('Your message to the class').fill(WORDS);
  await page.getByRole('combobox', { name: 'Opens with the lesson' }).selectOption('dead-groups');
  await expect(link).toContainText('note=');
  const classroom = (await link.textContent()) ?? '';
  await page.goto(`./?backend=wasm&${new URL(classroom).searchParams.toString()}`);
  // The lesson comes first, and over it the words as they were typed.
  await expect(page.getByTestId('place-learn')).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByTestId('class-note')).toHaveText(WORDS);
  await expect(page.getByRole('img', { name: 'x' })).toHaveCount(0);
  const lesson = page.getByTestId('lesson');
  await expect(lesson.getByRole('heading', { name: 'Groups that teach nothing' })).toBeInViewport();
  await expect(lesson.getByTestId('lesson-run')).toBeInViewport();
  await expect(page.getByTestId('try-this')).toBeVisible();

  // Where nothing of the suggestions is left, neither is their box.
  await openPage({ ...SMALL, lock: 'all', lesson: 'clipping' });
  await expect(lesson).toBeVisible();
  await expect(page.getByTestId('try-this')).toHaveCount(0);
});

const WORDS = 'Predict first, then run.\n<img src=x onerror=alert(1)> & hand in by Friday.';

interface Handed {
  learner: string;
  computation: string;
  metrics: { accuracy: number }[];
  evaluations: { step: number; accuracy: number }[];
}

/** Trains the page's run to its end and returns the file with which its learner hands it in. */
async function trainedHandIn(page: Page): Promise<Buffer> {
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await openFold(page, 'For a class');
  await page.getByLabel('Your name, for the file').fill('Ada L.');
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByTestId('hand-in').click()]);
  expect(saved.suggestedFilename()).toBe('hand-in-Ada-L.json');
  return readFile(await saved.path());
}

/** The files of a class; without PROOFS=all a small one. */
const CLASS_SIZE = everyProof ? 30 : 6;

test('hand-ins of a class are re-run one after the other, and neither the run on the page, its settings nor the link being written change', async ({
  page,
  openPage,
}) => {
  await openPage(SMALL);
  const text = (await trainedHandIn(page)).toString('utf8');
  const changed = (change: (file: Handed) => unknown): string => {
    const file = JSON.parse(text) as Handed;
    change(file);
    return JSON.stringify(file);
  };
  const wrong: Readonly<Record<string, readonly [file: string, verdict: string, words: RegExp]>> = {
    // Trained and re-run by the same build on the same machine without a GPU: equal to the bit, or changed.
    'forged.json': [
      changed(({ metrics }) => Object.assign(metrics[1] ?? {}, { accuracy: 1 })),
      'different',
      /^Differs in step 2, accuracy: the file says 1, the re-run gives 0/,
    ],
    // Trained on a device that computes otherwise, where a re-run decides nothing: its own answers do.
    'elsewhere.json': [
      changed((file) => {
        Object.assign(file, { computation: 'WebGPU on another device' });
        Object.assign(file.evaluations.at(-1) ?? {}, { accuracy: 1 });
      }),
      'refuted',
      /^Differs in the evaluation after step 2, accuracy: the file says 1, its own answers give 0/,
    ],
    'added.json': [
      changed(({ evaluations }) => evaluations.push({ step: 99, accuracy: 1 })),
      'failed',
      /^Can’t be read: It claims an evaluation after step 99/,
    ],
    'tasks.json': [TASKS, 'failed', /^Can’t be read: It is not a hand-in/],
  };
  const right = Array.from({ length: CLASS_SIZE - Object.keys(wrong).length }, (_, i) => `Learner ${i + 1}`);
  const folder = await mkdtemp(join(tmpdir(), 'hand-ins-'));
  for (const learner of right)
    await writeFile(
      join(folder, `${learner}.json`),
      changed((file) => Object.assign(file, { learner })),
    );
  for (const [name, [file]] of Object.entries(wrong)) await writeFile(join(folder, name), file);
  await writeFile(join(folder, '.hidden'), 'nothing');

  // The next run, and the link, are to have another number of steps.
  await goTo(page, 'train');
  await page.getByRole('spinbutton', { name: 'Steps', exact: true }).fill('5');
  await goTo(page, 'teach');
  const link = page.getByTestId('class-link');
  await expect(link).toContainText('numSteps=5');
  const written = await link.textContent();
  const before = await snapshotOf(page);

  await page.getByTestId('hand-in-folder').setInputFiles(folder);
  const rows = page.getByTestId('hand-in-row');
  await expect(rows).toHaveCount(CLASS_SIZE);
  await expect(rows.filter({ hasText: 'Learner 1.json' })).toContainText(/reverse_digits.*\d% greedy/);
  await page.getByTestId('hand-in-replay').click();
  await expect(page.getByTestId('hand-in-progress')).toContainText('to verify');
  await expect(page.getByTestId('hand-in-replay')).toHaveText('Re-run and verify');
  const verdictOf = (name: string) => rows.filter({ hasText: name }).getByTestId('hand-in-verdict');
  for (const learner of right)
    await expect(verdictOf(`${learner}.json`)).toHaveText(
      'Verified: the re-run matches the file in every figure.',
    );
  for (const [name, [, verdict, words]] of Object.entries(wrong)) {
    await expect(verdictOf(name)).toHaveAttribute('data-verdict', verdict);
    await expect(verdictOf(name)).toHaveText(words);
  }

  expect(await link.textContent()).toBe(written);
  const after = await snapshotOf(page);
  expect([after.run, after.config, after.phase]).toEqual([before.run, before.config, 'finished']);
  expect(JSON.stringify(after.metrics)).toBe(JSON.stringify(before.metrics));
  const [csv] = await Promise.all([page.waitForEvent('download'), page.getByTestId('hand-in-csv').click()]);
  const lines = (await readFile(await csv.path(), 'utf8')).split('\r\n');
  expect(lines).toHaveLength(1 + CLASS_SIZE);
  await page.getByRole('button', { name: 'Verdict' }).click();
  await expect(rows.first()).toContainText('Can’t be read');
  await goTo(page, 'runs');
  await expect(page.getByTestId('runs').getByRole('button', { name: /^Fork/ })).toHaveCount(1);
});

test('a check takes turns with a run that is begun meanwhile, and may be cancelled', async ({
  page,
  openPage,
}) => {
  await openPage(SMALL);
  const buffer = await trainedHandIn(page);
  const file = (name: string) => ({ name, mimeType: 'application/json', buffer });
  await page.getByTestId('hand-in-input').setInputFiles([file('one.json'), file('two.json')]);
  const rows = page.getByTestId('hand-in-row');
  await expect(rows).toHaveCount(2);
  await goTo(page, 'train');
  await page.getByRole('spinbutton', { name: 'Steps', exact: true }).fill('4');
  await goTo(page, 'teach');
  await page.getByTestId('hand-in-replay').click();
  await expect(page.getByTestId('hand-in-progress')).toBeVisible();
  await page.getByTestId('train-button').click();
  await expect.poll(async () => (await snapshotOf(page)).metrics.length).toBe(4);
  await reachPhase(page, 'finished');
  await expect(rows.locator('[data-verdict=same]')).toHaveCount(2);

  await page.getByTestId('hand-in-input').setInputFiles([file('three.json'), file('four.json')]);
  await expect(rows).toHaveCount(4);
  await page.getByTestId('hand-in-replay').click();
  await page.getByTestId('hand-in-replay').filter({ hasText: 'Cancel' }).click();
  await expect(page.getByTestId('hand-in-progress')).toBeHidden();
  await expect(rows.locator('[data-verdict=waiting]')).not.toHaveCount(0);
  await page.getByTestId('hand-in-replay').click();
  await expect(rows.locator('[data-verdict=same]')).toHaveCount(4);
});
