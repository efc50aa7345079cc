/** Nothing is lost: a run that a reload, a crash or a full disk meets goes on to the bit from what the browser keeps. */
import type { Page } from '@playwright/test';
import { MACHINE_KEYS, type StepMetrics } from '@rl-playground/run/metrics';
import { stateOf, unzipped } from './checkpoint.ts';
import { expect, test } from './fixtures.ts';
import { download, fileBehind, goTo, notice, reachKept, reachPhase, reachStep, snapshotOf } from './page.ts';

const SETTINGS = {
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  maxTokens: 12,
  numGenerators: 1,
  evalSamples: 2,
  evalEvery: 3,
  numSteps: 4,
  saveSteps: 2,
  seed: 5,
};

const untimed = (metrics: readonly StepMetrics[]): object[] =>
  metrics.map((step) => ({ ...step, ...Object.fromEntries(MACHINE_KEYS.map((key) => [key, 0])) }));

const offer = (page: Page) => page.getByTestId('kept-run').first();

/** Runs single steps up to `step` and waits until the run rests. It is kept by then: leaving the page asks nothing. */
async function stepTo(page: Page, step: number, last = SETTINGS.numSteps): Promise<void> {
  for (let next = (await snapshotOf(page)).step + 1; next <= step; next++) {
    await page.getByTestId('step-button').click();
    await reachStep(page, next);
    await reachPhase(page, next === last ? 'finished' : 'paused');
  }
}

async function continueFrom(page: Page, step: number): Promise<void> {
  await offer(page)
    .getByRole('button', { name: `Continue from step ${step}` })
    .click();
  await reachPhase(page, 'paused');
  expect((await snapshotOf(page)).step).toBe(step);
}

async function outcome(page: Page) {
  const { metrics, evaluations } = await snapshotOf(page);
  const directory = unzipped(await fileBehind(page, 'run-directory-button'));
  const text = new TextDecoder().decode(directory.get('rollouts.jsonl'));
  const final = new Map([...directory].map(([name, bytes]) => [name.replace(/^final_model\//, ''), bytes]));
  return {
    metrics: untimed(metrics),
    accuracies: evaluations.map(({ step, accuracy }) => [step, accuracy]),
    state: stateOf(final),
    rollouts: text.trimEnd().split('\n').length,
    texts: text,
    models: [...directory.keys()].filter((name) => name.endsWith('model.safetensors')).sort(),
  };
}

/** The trained adapter, its optimizer and the record of the frozen base model; bytes in hex. */
function stateOfAdapter(files: ReadonlyMap<string, Uint8Array>): Record<string, string> {
  const names = ['adapter/adapter_model.safetensors', 'optimizer.safetensors', 'base_model.json'];
  return Object.fromEntries(names.map((name) => [name, Buffer.from(files.get(name) ?? []).toString('hex')]));
}

/** The versions whose weights are kept, for each kept run, the oldest run first. */
async function pastVersions(page: Page): Promise<number[][]> {
  return page.evaluate(async () => {
    await window.rlPlayground?.kept.keepNow();
    const runs = await (await navigator.storage.getDirectory()).getDirectoryHandle('runs');
    const versions: { readonly id: string; readonly names: number[] }[] = [];
    for await (const [id, run] of runs.entries()) {
      const folder = run as FileSystemDirectoryHandle;
      const past = await folder.getDirectoryHandle('past-weights').catch(() => null);
      const names: number[] = [];
      for await (const name of past?.keys() ?? []) names.push(Number(name));
      versions.push({ id, names: names.sort((a, b) => a - b) });
    }
    return versions.sort((a, b) => a.id.localeCompare(b.id)).map(({ names }) => names);
  });
}

/** Breaks what is there of the newest commit, as a power cut in the middle of a write would. */
async function tear(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const runs = await (await navigator.storage.getDirectory()).getDirectoryHandle('runs');
    for await (const [, run] of runs.entries()) {
      const folder = run as FileSystemDirectoryHandle;
      // Weights of a step that the run goes back behind by it.
      const past = await folder.getDirectoryHandle('past-weights');
      const lost = await (await past.getFileHandle('9', { create: true })).createWritable();
      await lost.write(await (await past.getFileHandle('0')).getFile());
      await lost.close();
      const names: string[] = [];
      for await (const [name] of folder.entries()) if (name.startsWith('commit-')) names.push(name);
      const newest = await folder.getDirectoryHandle(names.sort().at(-1) ?? '');
      // The record is whole and every size as it says: only the contents are not what was written.
      const file = await newest.getFileHandle('1');
      const writer = await file.createWritable({ keepExistingData: true });
      await writer.write({ type: 'write', position: 0, data: new Uint8Array([255, 254]) });
      await writer.close();
    }
  });
}

test('a reload, a crash and a torn write cost nothing or a step: the run ends as one never left', async ({
  page,
  openPage,
  context,
}) => {
  await openPage(SETTINGS);
  await expect(page.getByTestId('kept-runs')).toBeHidden();
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const undisturbed = await outcome(page);
  expect(undisturbed.models.map((name) => name.split('/')[0])).toEqual([
    'checkpoint-2',
    'checkpoint-4',
    'final_model',
  ]);
  await page.getByTestId('reset-button').click();
  await reachPhase(page, 'idle');

  await stepTo(page, 1);
  await reachKept(page);
  await page.reload();
  await expect(offer(page)).toContainText('sum_digits at step 1');
  await expect(page.getByTestId('kept-runs')).toContainText('All 2 runs');
  await continueFrom(page, 1);
  await stepTo(page, 2);
  await reachKept(page);

  // The tab's process dies.
  const [crashed] = await Promise.all([
    page.waitForEvent('crash').then(() => true),
    page.goto('chrome://crash').catch(() => undefined),
  ]);
  expect(crashed).toBe(true);
  const second = await context.newPage();
  await openPage(SETTINGS, second);
  await continueFrom(second, 2);
  await stepTo(second, 3);
  await reachKept(second);

  await tear(second);
  await second.reload();
  await expect(offer(second)).toContainText('at step 3');
  await offer(second).getByRole('button', { name: 'Continue from step 3' }).click();
  await reachPhase(second, 'paused');
  // The commit before it is whole.
  expect((await snapshotOf(second)).step).toBe(2);
  await second.getByTestId('train-button').click();
  await reachPhase(second, 'finished');
  expect(await outcome(second)).toEqual(undisturbed);
  const all = [0, 1, 2, 3, 4];
  // Both were torn, and one was gone on with.
  expect(await pastVersions(second)).toEqual([[...all, 9], all]);

  // A person sees what they take, and may do without them.
  await goTo(second, 'runs');
  const keeps = second.getByRole('switch', { name: 'Keep the weights of past steps' });
  await expect(second.getByTestId('runs')).toContainText(/of which [\d.]+ [kM]B weights of past steps/);
  await keeps.uncheck();
  await expect(second.getByTestId('runs')).not.toContainText('of which');
  expect(await pastVersions(second)).toEqual([[], []]);
  await second.reload();
  await expect(keeps).not.toBeChecked();
});

test('in a browser that gives it no files and shares no memory the page trains, and says once what a reload would cost', async ({
  page,
  openPage,
}) => {
  // The page is as in WebKitGTK: isolated, but with neither a private file system nor SharedArrayBuffer.
  await page.addInitScript(() => {
    Reflect.deleteProperty(Navigator.prototype, 'storage');
    Reflect.deleteProperty(globalThis, 'SharedArrayBuffer');
  });
  await openPage({ ...SETTINGS, numSteps: 2 });
  expect(await page.evaluate(() => [crossOriginIsolated, 'SharedArrayBuffer' in window])).toEqual([
    true,
    false,
  ]);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await expect(notice(page, 'This browser can’t keep runs')).toHaveCount(1);
  expect((await snapshotOf(page)).backend?.line).toContain('this browser shares no memory');
  await page.getByTestId('reset-button').click();
  await expect(notice(page, 'This run is not saved')).toContainText('A reset deletes it');
  expect((await snapshotOf(page)).step).toBe(2);
  await page.getByRole('button', { name: 'Reset anyway' }).click();
  await reachPhase(page, 'idle');
});

test('one tab writes a run, and another reads along; leaving asks while work is unsaved; a full disk takes the weights of past steps, then is said once while the run goes on; the other tab may delete the run once it is free', async ({
  page,
  openPage,
  context,
}) => {
  const numSteps = 100;
  await openPage({ ...SETTINGS, numSteps });
  await stepTo(page, 1, numSteps);
  await reachKept(page);
  const other = await context.newPage();
  await openPage({}, other);
  await expect(offer(other)).toContainText('open in another tab');
  await offer(other)
    .getByRole('button', { name: /^Read along/ })
    .click();
  await reachStep(other, 1);
  await expect(other.getByTestId('task-select')).toHaveValue('sum_digits');
  // A tab in the background draws once a second, and every click waits for it.
  await page.bringToFront();
  await stepTo(page, 2, numSteps);
  await reachStep(other, 2);
  expect((await snapshotOf(other)).metrics).toEqual((await snapshotOf(page)).metrics);

  // Together as large as what is to be kept behind the next step.
  await stepTo(page, 4, numSteps);
  expect(await pastVersions(page)).toEqual([[0, 1, 2, 3, 4]]);
  const session = await context.newCDPSession(page);
  const { origin } = new URL(page.url());
  const { usage = 0 } = await page.evaluate(() => navigator.storage.estimate());
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: usage + 100_000 });
  await stepTo(page, 5, numSteps);
  await reachKept(page);
  expect(await pastVersions(page)).toEqual([[]]);
  await expect(notice(page, 'no room to keep this run')).toHaveCount(0);

  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1000 });
  await stepTo(page, 7, numSteps);
  await expect(notice(page, 'no room to keep this run')).toHaveCount(1);
  expect((await snapshotOf(page)).step).toBe(7);
  expect(await page.evaluate(() => window.rlPlayground?.kept.unsaved())).toBe(true);
  const asked = page.waitForEvent('dialog');
  await page.evaluate(() => setTimeout(() => window.location.reload()));
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();

  await session.send('Storage.overrideQuotaForOrigin', { origin });
  await stepTo(page, 8, numSteps);
  await reachKept(page);
  await page.reload();
  await continueFrom(page, 8);
  expect((await snapshotOf(page)).metrics.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);

  await page.close();
  await other.reload();
  await goTo(other, 'runs');
  await other
    .getByTestId('run-row')
    .getByRole('button', { name: /^Delete/ })
    .click();
  await other
    .getByTestId('deleted-run')
    .getByRole('button', { name: /^Free the space/ })
    .click();
  await expect(other.getByTestId('runs')).toBeHidden();
});

test('a run beside a frozen base finds that base again, whatever model the page comes up with', async ({
  page,
  openPage,
}) => {
  const adapted = { ...SETTINGS, loraRank: 2, loraAlpha: 4, baseFormat: '16bit', numSteps: 2, saveSteps: 0 };
  await openPage(adapted);
  await stepTo(page, 1);
  await reachKept(page);
  const before = stateOfAdapter(unzipped(await download(page)));
  await openPage({ model: 'starter-words' });
  expect((await snapshotOf(page)).modelName).toBe('starter-words');
  await continueFrom(page, 1);
  expect(stateOfAdapter(unzipped(await download(page)))).toEqual(before);
  await page.getByTestId('step-button').click();
  await reachPhase(page, 'finished');
  expect((await snapshotOf(page)).metrics).toHaveLength(2);
});
