/** A person's actions on the page, the texts that it shows, and the state of its run. */
import { readFile, writeFile } from 'node:fs/promises';
import type { Locator, Page, TestInfo } from '@playwright/test';
import type { RunPhase, RunSnapshot } from '@rl-playground/run/session';
import { expect } from './fixtures.ts';

export const CHARTS = ['reward', 'accuracy', 'format', 'kl'] as const;

/** The run as the page's engine has it. */
export async function snapshotOf(page: Page): Promise<RunSnapshot> {
  return page.evaluate(() => {
    if (window.rlPlayground === undefined) throw new Error('The engine is not there yet.');
    return window.rlPlayground.controller.snapshot();
  });
}

export function status(page: Page): Locator {
  return page.getByTestId('status');
}

export async function reachPhase(page: Page, phase: RunPhase): Promise<void> {
  await expect(status(page)).toHaveAttribute('data-phase', phase);
}

/** Waits until the page has loaded the model that it opens with. */
export async function reachLoaded(page: Page): Promise<void> {
  await expect(status(page)).toHaveAttribute('data-phase', /^(?!loading)/);
}

/** Records every text that an element shows from now on, however briefly. The returned function gives those so far, in order. */
export async function textsOf(page: Page, testId: string): Promise<() => Promise<readonly string[]>> {
  const key = `texts of ${testId}`;
  await page.evaluate(
    ([name, id]) => {
      const texts: string[] = [];
      Reflect.set(window, name, texts);
      const look = (): void => {
        const text = document.querySelector(`[data-testid="${id}"]`)?.textContent;
        if (text !== undefined && text !== texts.at(-1)) texts.push(text);
      };
      new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
      look();
    },
    [key, testId] as const,
  );
  return () => page.evaluate((name) => Reflect.get(window, name) as string[], key);
}

/** Keeps what the page asks for waiting, until what it gives back is called. */
export async function holdBack(page: Page, pattern: string | ((url: URL) => boolean)): Promise<() => void> {
  let letThrough = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route(pattern, async (route) => {
    await held;
    await route.continue();
  });
  return () => letThrough();
}

export async function shownStep(page: Page): Promise<number> {
  return Number(await status(page).getAttribute('data-step'));
}

/** Waits until the page shows `step` or a later one. */
export async function reachStep(page: Page, step: number): Promise<void> {
  await expect.poll(() => shownStep(page)).toBeGreaterThanOrEqual(step);
}

/** Makes the page pause a run as soon as it has a new alarm, so that the run waits there for a slow test. */
export async function pauseAtAlarms(page: Page): Promise<void> {
  await page.evaluate(() => {
    const controller = window.rlPlayground?.controller;
    const seen = new Set<string>();
    controller?.subscribe(() => {
      const alarms = controller.snapshot().notices.filter(({ kind }) => kind === 'collapse');
      const isNew = alarms.some(({ id }) => !seen.has(id));
      for (const { id } of alarms) seen.add(id);
      if (isNew) controller.pause();
    });
  });
}

/** Has the page stop its run itself once so many steps are made. */
export async function stopAtStep(page: Page, step: number): Promise<void> {
  await page.evaluate((wanted) => {
    const controller = window.rlPlayground?.controller;
    const forget = controller?.subscribe(() => {
      if (controller.snapshot().step < wanted) return;
      forget?.();
      controller.stop();
    });
  }, step);
}

/** Waits for the end of the run that `begin` begins: where one has ended before, the page shows that end a moment longer. */
export async function untilEnd(page: Page, begin: () => Promise<void>): Promise<void> {
  await page.evaluate(() => {
    const controller = window.rlPlayground?.controller;
    if (controller === undefined) throw new Error('The engine is not there yet.');
    let begun = false;
    Reflect.set(window, 'followedRun', 'not begun');
    const forget = controller.subscribe(() => {
      const { phase } = controller.snapshot();
      begun ||= ['sft', 'evaluating', 'training'].includes(phase);
      if (!begun) return;
      Reflect.set(window, 'followedRun', phase);
      if (phase === 'finished' || phase === 'failed') forget();
    });
  });
  await begin();
  const ended = () => page.evaluate(() => Reflect.get(window, 'followedRun') as RunPhase | 'not begun');
  await expect.poll(ended).toMatch(/^(finished|failed)$/);
  expect(await ended(), 'the end of the run').toBe('finished');
  await reachPhase(page, 'finished');
}

/** Presses Train, and waits until its run has ended and is kept. */
export async function trainToTheEnd(page: Page): Promise<void> {
  await untilEnd(page, () => page.getByTestId('train-button').click());
  await reachKept(page);
}

/** Waits until the browser's own storage holds all of the run. */
export async function reachKept(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => window.rlPlayground?.kept.unsaved())).toBe(false);
}

export async function chartPoints(page: Page): Promise<number[]> {
  return Promise.all(
    CHARTS.map(async (id) => Number(await page.getByTestId(`chart-${id}`).getAttribute('data-points'))),
  );
}

export const PLACES_OF_PAGE = ['train', 'answers', 'runs', 'learn', 'make', 'teach'] as const;
export type Place = (typeof PLACES_OF_PAGE)[number];

/** Goes to a place of the page by its tab. */
export async function goTo(page: Page, place: Place): Promise<void> {
  await page.getByTestId(`place-${place}`).click();
  await expect(page.getByTestId(`place-${place}`)).toHaveAttribute('aria-selected', 'true');
}

export interface PickedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The ways out of the page that are in the menu "Export". */
const EXPORTS: ReadonlySet<string> = new Set([
  'download-button',
  'full-download-button',
  'run-directory-button',
  'export-button',
  'report-button',
]);

/** Opens the menu that a button is in, where it is in one, and clicks it. That menu is on Train. */
export async function press(page: Page, testId: string): Promise<void> {
  if (EXPORTS.has(testId)) {
    await goTo(page, 'train');
    await page.getByTestId('export-menu').click();
  }
  await page.getByTestId(testId).click();
}

/** Clicks a button and catches the file that it saves. */
export async function fileBehind(page: Page, testId: string): Promise<PickedFile> {
  const [caught] = await Promise.all([page.waitForEvent('download'), press(page, testId)]);
  return { name: caught.suggestedFilename(), bytes: await readFile(await caught.path()) };
}

/** Clicks Download and catches the checkpoint. */
export const download = (page: Page): Promise<PickedFile> => fileBehind(page, 'download-button');

/** Exports the model as ONNX in F32, and catches the zip for transformers.js. */
export async function downloadOnnx(page: Page): Promise<PickedFile> {
  await press(page, 'export-button');
  await page.getByTestId('export-format').selectOption('onnx');
  await page.getByTestId('export-type').selectOption('F32');
  const file = await fileBehind(page, 'export-download');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  return file;
}

/** Chooses a file as the dialog behind "Load…" does. */
export async function choose(page: Page, { name, bytes }: PickedFile): Promise<void> {
  await goTo(page, 'train');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Load checkpoint or run…' }).click(),
  ]);
  await chooser.setFiles({ name, mimeType: 'application/zip', buffer: Buffer.from(bytes) });
}

/** Drags a file from outside over the page and lets it go. */
export async function drop(page: Page, { name, bytes }: PickedFile, testInfo: TestInfo): Promise<void> {
  const path = testInfo.outputPath(name);
  await writeFile(path, bytes);
  await dropPath(page, path);
}

/** The same with a file or folder of this machine: the browser's own drag, not a made-up event. */
export async function dropPath(page: Page, path: string): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    browser.send('Input.dispatchDragEvent', {
      type,
      x: 200,
      y: 200,
      data: { items: [], files: [path], dragOperationsMask: 1 },
    });
  await drag('dragEnter');
  await drag('dragOver');
  await expect(page.getByText('Drop the checkpoint zip to load it')).toBeVisible();
  await drag('drop');
  await browser.detach();
}

/** The folds below the main charts. */
export const CHART_FOLDS = [
  'Rewards and groups',
  'Policy and lengths',
  'Sampler and trainer',
  'Optimizer',
  'Time and memory',
] as const;

/** The places of folds that are not on Train. */
const PLACES: Readonly<Record<string, Place>> = {
  'Token inspector': 'answers',
  'Ask the model': 'answers',
  'Failure zoo': 'learn',
  'Five-minute lessons': 'learn',
  'Your own task': 'make',
  'Reward calculator': 'make',
  'For a class': 'teach',
};

/** Folds of the export dialog, which is fetched when it is asked for. */
const IN_DIALOG: readonly string[] = ['Continue on a cluster', 'Send to the Hub'];

/** Goes to the place of a folded part of the page, of the drawer or of a dialog that is coming, and opens it by its title. */
export async function openFold(page: Page, title: string): Promise<void> {
  if (IN_DIALOG.includes(title)) await expect(page.getByRole('dialog')).toBeVisible();
  else if ((await page.getByRole('dialog').count()) === 0) await goTo(page, PLACES[title] ?? 'train');
  const closed = page.locator('details:not([open]) > summary, button[aria-expanded="false"]');
  const opened = page.locator('details[open] > summary').filter({ hasText: title });
  if ((await opened.count()) === 0) await closed.filter({ hasText: title }).first().click();
}

/** Opens every fold, and those inside them, until none is left. */
export async function unfoldAll(page: Page): Promise<void> {
  const open = (): Promise<number> =>
    page.evaluate(() => {
      const closed = document.querySelectorAll<HTMLDetailsElement>('details:not([open])');
      for (const fold of closed) fold.open = true;
      return closed.length;
    });
  await expect.poll(open).toBe(0);
  await expect(page.getByText('Loading…')).toHaveCount(0);
}

/** Chooses a settings file as the dialog behind "Load settings…" does. */
export async function chooseSettings(page: Page, name: string, text: string): Promise<void> {
  await goTo(page, 'train');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Load settings…' }).click(),
  ]);
  await chooser.setFiles({ name, mimeType: 'application/yaml', buffer: Buffer.from(text) });
}

/** Clicks "Save settings" and catches the file. */
export const saveSettings = (page: Page): Promise<PickedFile> => fileBehind(page, 'save-settings');

/** Clicks "Run directory" and catches the zip of the run's directory. */
export const downloadRunDirectory = (page: Page): Promise<PickedFile> =>
  fileBehind(page, 'run-directory-button');

/** A message on the page, by its title. */
export function notice(page: Page, title: string | RegExp): Locator {
  return page.getByTestId('notices').getByRole('alert').filter({ hasText: title });
}

/** Opens the slot of notices, which shows the newest until it is opened. */
export async function openNotices(page: Page): Promise<void> {
  await page.getByTestId('notices').locator('button[aria-expanded="false"]').click();
}

/** The field of a number, by its label. */
export function number(page: Page, label: string): Locator {
  return page.getByRole('spinbutton', { name: label, exact: true });
}

export type Scheme = 'light' | 'dark';

/** Has the system ask for light or dark, and waits until the page has followed. */
export async function inScheme(page: Page, colorScheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme });
  const red = () =>
    page.evaluate(() => Number(/\d+/.exec(getComputedStyle(document.body).backgroundColor)?.[0]));
  if (colorScheme === 'dark') await expect.poll(red).toBeLessThan(128);
  else await expect.poll(red).toBeGreaterThanOrEqual(128);
}

/** That the keyboard has a place after what was just done: an element, not the page as a whole. */
export async function expectFocusKept(page: Page, after: string): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.tagName ?? 'none'), `the focus after ${after}`)
    .not.toMatch(/^(BODY|none)$/);
}
