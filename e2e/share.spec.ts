/** A link or a file carries to another browser a task of the user's own, a page for a class, or a run that is handed in and checked. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { SETTINGS_VERSION } from '@rl-playground/run/settings';
import { customTaskSchema, linkedText } from '@rl-playground/tasks/parts';
import { expect, test } from './fixtures.ts';
import { goTo, openFold, reachPhase } from './page.ts';

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
  await page.getByTestId('share-run').click();
  await expect(page.getByTestId('end-card')).toContainText(
    'Copied: the settings, the seed and your own task.',
  );
  const link = await page.evaluate(() => navigator.clipboard.readText());
  // The same from the menu, whatever the end card says.
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await page.getByTestId('export-menu').click();
  await page.getByTestId('link-button').click();
  await expect(page.getByTestId('notices')).toContainText(
    'Copied: the settings, the seed and your own task.',
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
  await expect(offer).toContainText('This link brings a task of its author’s own');
  await expect(offer).toContainText('Sums of mine: 40 rows. The first asks: 0+1');
  await expect(other.getByRole('img', { name: 'x' })).toHaveCount(0);
  await offer.getByRole('button', { name: 'Add the task' }).click();
  await expect(offer).not.toContainText('This link brings');
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
  await page.getByTestId('export-menu').click();
  await page.getByTestId('link-button').click();
  const notices = page.getByTestId('notices');
  await expect(notices).toContainText('The link does not hold Hashes: it carries at most 8 kB.');
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
  await expect(page.getByText('The link that opened this page keeps 2 settings as they are.')).toBeVisible();
  for (const part of ['More settings', 'Ask the model', 'Reward calculator'])
    await expect(page.getByText(part, { exact: true })).toHaveCount(0);
  await expect(page.getByText('More charts')).toBeVisible();
  await expect(page.getByTestId('notices')).toContainText('hide: "everything" is no part of the page');
  await expect(page.getByText('For a class')).toHaveCount(0);
  // The parts that were hidden stay hidden when the form changes the address.
  await page.getByRole('spinbutton', { name: 'Steps', exact: true }).fill('3');
  await expect.poll(() => new URL(page.url()).searchParams.get('numSteps')).toBe('3');
  expect(new URL(page.url()).searchParams.get('lock')).toBe('learningRate,loss');

  await openPage({ ...SMALL, lock: 'all' });
  const same = page.getByTestId('preflight').locator('[data-finding=same_losses]');
  await expect(same).toContainText('One update');
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
  await expect(page.getByTestId('runs')).toContainText('keeps settings as they are');
  await expect(page.getByRole('button', { name: 'Run 3 seeds' })).toHaveCount(0);
  expect(new URL(page.url()).searchParams.get('numSubsteps')).toBeNull();
});

test('the page makes a link for a class, with a code for phones; a run that is handed in is made again and comes out the same; one that was changed does not', async ({
  page,
  openPage,
}) => {
  await openPage(SMALL);
  await openFold(page, 'For a class');
  await page.getByRole('combobox', { name: 'Settings', exact: true }).selectOption('changed');
  await page.getByRole('checkbox', { name: 'Rollouts', exact: true }).check();
  await page.getByRole('checkbox', { name: 'Evaluation', exact: true }).check();
  const link = page.getByTestId('class-link');
  await expect(link).toContainText('hide=');
  const { searchParams } = new URL((await link.textContent()) ?? '');
  expect(searchParams.get('hide')).toBe('evaluation,rollouts');
  expect(searchParams.get('lock')?.split(',')).toEqual(expect.arrayContaining(['numSteps', 'maxTokens']));
  expect(searchParams.get('maxTokens')).toBe('16');
  expect([searchParams.get('seed'), searchParams.get('v')]).toEqual(['0', String(SETTINGS_VERSION)]);
  await expect(page.getByTestId('qr-code')).toBeVisible();

  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await page.getByLabel('Your name, for the file').fill('Ada L.');
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByTestId('hand-in').click()]);
  expect(saved.suggestedFilename()).toBe('hand-in-Ada-L.json');
  const text = await readFile(await saved.path(), 'utf8');

  const check = async (file: string): Promise<void> => {
    await page
      .getByTestId('hand-in-input')
      .setInputFiles({ name: 'file.json', mimeType: 'application/json', buffer: Buffer.from(file) });
    await expect(page.getByTestId('hand-in-check')).toContainText('Ada L.: reverse_digits, 2 steps');
    await expect(page.getByTestId('hand-in-check')).not.toContainText('right');
    await page.getByTestId('hand-in-replay').click();
  };
  const verdict = page.getByTestId('hand-in-verdict');
  await check(text);
  await expect(verdict).toHaveAttribute('data-verdict', 'same');
  await expect(verdict).toContainText('The evaluation after step 2: ');

  // Made on a device that computes otherwise, where a replay decides nothing: its own answers do.
  const elsewhere = JSON.parse(text) as { evaluations: { accuracy: number }[] };
  Object.assign(elsewhere, { computation: 'WebGPU on another device' });
  Object.assign(elsewhere.evaluations.at(-1) ?? {}, { accuracy: 1 });
  await check(JSON.stringify(elsewhere));
  await expect(verdict).toHaveAttribute('data-verdict', 'refuted');
  await expect(verdict).toContainText(
    /The evaluation after step 2, accuracy: the file says 1, its answers give 0(\.\d+)?\./,
  );

  const forged = JSON.parse(text) as { metrics: { accuracy: number }[] };
  Object.assign(forged.metrics[1] ?? {}, { accuracy: 1 });
  await check(JSON.stringify(forged));
  // Made and replayed by the same build on the same machine without a GPU: equal to the bit, or changed.
  await expect(verdict).toHaveAttribute('data-verdict', 'different');
  await expect(verdict).toContainText('Step 2, accuracy: the file says 1, this run gave 0');

  const refusal = page.getByRole('group', { name: 'Hand in a run' }).getByRole('alert');
  const added = JSON.parse(text) as { evaluations: unknown[] };
  added.evaluations.push({ step: 99, accuracy: 1 });
  for (const [file, reason] of [
    [
      JSON.stringify(added),
      'It claims an evaluation after step 99, where a run of these settings makes none.',
    ],
    [TASKS, 'It is no hand-in'],
  ] as const) {
    await page
      .getByTestId('hand-in-input')
      .setInputFiles({ name: 'file.json', mimeType: 'application/json', buffer: Buffer.from(file) });
    await expect(refusal).toContainText(`file.json can’t be checked: ${reason}`);
    await expect(page.getByTestId('hand-in-check')).toHaveCount(0);
  }
});
