/** The first seconds of a first visit: a recorded run is shown before the model is there, and what can be tried says so and does it. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { provenBy } from '@rl-playground/base/testing/proofs';
import { expect, NO_HURRY, test } from './fixtures.ts';
import { goTo, holdBack, reachPhase, snapshotOf, status } from './page.ts';

/** The bytes of the page's own files, until Train is there and until the model is. */
const MOST_NAMED = { files: 12, bytes: 1_100_000 };
// recharts is 400 kB of it, by which the recorded run is drawn while the model comes. 46 kB read GGUF's blocks, 22 kB are the tasks for
// instruct models, which the menu lists, and 7 kB the settings of a reward model and its share of a reward: what runs it comes when one is loaded.
// 4 kB are the presets of real models and the check before a run of one.
const MOST_LOADED = { files: 35, bytes: 2_870_000 };
/** Pixels that nobody overlooks: four lines of text. */
const ENOUGH = 2000;

interface Pictures {
  readonly before: string;
  readonly after: string;
  readonly button: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  };
}

/** Runs in the page. Pixels outside the button that differ by more than a shade; pictures are base64 of PNG files. */
async function changedPixels({ before, after, button }: Pictures): Promise<number> {
  const pixelsOf = async (base64: string): Promise<ImageData> => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    if (canvas === null) throw new Error('This browser draws no canvas.');
    canvas.drawImage(image, 0, 0);
    return canvas.getImageData(0, 0, image.width, image.height);
  };
  const [first, second] = [await pixelsOf(before), await pixelsOf(after)];
  let changed = 0;
  for (let y = 0; y < first.height; y++)
    for (let x = 0; x < first.width; x++) {
      const inButton =
        x >= button.x - 4 &&
        x <= button.x + button.width + 4 &&
        y >= button.y - 4 &&
        y <= button.y + button.height + 4;
      if (inButton) continue;
      const at = 4 * (y * first.width + x);
      const shades = [0, 1, 2].map((c) => Math.abs((first.data[at + c] ?? 0) - (second.data[at + c] ?? 0)));
      if (Math.max(...shades) > 24) changed++;
    }
  return changed;
}

test('the head is painted, in the page’s look, before any script has come; a recorded run is then shown, labelled, before the model has, and makes room for one’s own', async ({
  page,
}) => {
  const letAssetsThrough = await holdBack(page, '**/assets/*.js');
  const letThrough = await holdBack(page, '**/models/**');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('./?backend=wasm&keep=off', { waitUntil: 'commit' });
  const name = page.getByRole('heading', { level: 1, name: 'RL Playground' });
  await expect(name).toBeVisible();
  await expect
    .poll(() => page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length))
    .toBe(1);
  await expect(name).toHaveCSS('color', 'rgb(230, 237, 243)');
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(14, 20, 27)');
  const before = await name.boundingBox();
  await expect(page.getByTestId('train-button')).toHaveCount(0);
  letAssetsThrough();
  await expect(page.getByTestId('task-select')).toHaveValue('reverse_digits');
  const recorded = page.getByTestId('recorded');
  await expect(recorded).toBeVisible();
  await expect(recorded).toContainText(
    /Recorded run of 2026-\d\d-\d\d, CPU, 2 threads: greedy accuracy .* in \d+:\d\d/,
  );
  // Whatever the screen, the curve in the first view says what it is.
  await expect(page.getByTestId('recorded-mark')).toBeInViewport();
  await expect(page.getByTestId('number-reward').locator('path')).toBeVisible();
  await expect(status(page)).toHaveAttribute('data-phase', 'loading');

  letThrough();
  await reachPhase(page, 'idle');
  // The parts that came since lie below the head.
  await page.evaluate(() => window.scrollTo(0, 0));
  expect(await name.boundingBox()).toEqual(before);
  await page.getByTestId('step-button').click();
  await reachPhase(page, 'paused');
  await expect(recorded).toBeHidden();
});

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const bytesOf = (paths: Iterable<string>): number =>
  [...paths].reduce((sum, path) => sum + statSync(dist + path).size, 0);

test('Train is there by what index.html names alone, says why it can’t be pressed yet, and begins a run once the model is there', async ({
  page,
}) => {
  const named = new Set(readFileSync(`${dist}index.html`, 'utf8').match(/assets\/[\w.-]+/g));
  console.log(`${named.size} files of ${bytesOf(named)} bytes until Train is there`);
  expect(named.size).toBeLessThanOrEqual(MOST_NAMED.files);
  expect(bytesOf(named)).toBeLessThanOrEqual(MOST_NAMED.bytes);
  const letThrough = await holdBack(
    page,
    ({ pathname }) => /^\/(assets|models)\//.test(pathname) && !named.has(pathname.slice(1)),
  );
  await page.addInitScript(() => {
    const watch = new MutationObserver(() => {
      if (document.querySelector('[data-testid="status"]:not([data-phase="loading"])') === null) return;
      performance.mark('loaded');
      watch.disconnect();
    });
    watch.observe(document, { subtree: true, childList: true, attributeFilter: ['data-phase'] });
  });
  const train = page.getByTestId('train-button');
  const settings = 'task=reverse_digits&problemsPerStep=2&numSteps=2&evalSamples=2';
  await page.goto(`./?backend=wasm&keep=off&deadline=${NO_HURRY.deadline}&${settings}`);
  await expect(train).toHaveText('Train');
  await expect(train).toHaveAttribute('aria-disabled', 'true');
  await expect(train).toHaveAccessibleDescription('Preparing the model. This takes a moment the first time.');
  await page.keyboard.press('Control+Enter');
  await expect(status(page).getByRole('status')).toHaveText('Loading');

  letThrough();
  await reachPhase(page, 'idle');
  await page.keyboard.press('Control+Enter');
  await reachPhase(page, 'finished');
  expect((await snapshotOf(page)).metrics).toHaveLength(2);
  // The files for the rest of the page were not requested before the model was there.
  const asked = await page.evaluate(() => {
    const [loaded] = performance.getEntriesByName('loaded');
    return performance
      .getEntriesByType('resource')
      .filter(({ startTime }) => startTime < (loaded?.startTime ?? 0))
      .map(({ name }) => new URL(name).pathname.slice(1));
  });
  const scripts = new Set(asked.filter((path) => path.endsWith('.js')));
  console.log(`${scripts.size} scripts of ${bytesOf(scripts)} bytes until the model is there`);
  expect(scripts.size).toBeGreaterThan(named.size);
  expect(scripts.size).toBeLessThanOrEqual(MOST_LOADED.files);
  expect(bytesOf(scripts)).toBeLessThanOrEqual(MOST_LOADED.bytes);
});

/** The files of a circle of imports; null where there is none. */
function circleOf(imports: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const done = new Set<string>();
  const walk = (name: string, path: readonly string[]): readonly string[] | null => {
    if (path.includes(name)) return path.slice(path.indexOf(name));
    if (done.has(name)) return null;
    for (const imported of imports.get(name) ?? []) {
      const circle = walk(imported, [...path, name]);
      if (circle !== null) return circle;
    }
    done.add(name);
    return null;
  };
  return [...imports.keys()].map((name) => walk(name, [])).find((circle) => circle !== null) ?? null;
}

test('no two files of the build import each other in a circle', () => {
  expect(circleOf(new Map(Object.entries({ page: ['a', 'b'], a: ['b'], b: [] })))).toBeNull();
  const round = { page: ['a'], a: ['b'], b: ['c'], c: ['a'] };
  expect(circleOf(new Map(Object.entries(round)))).toEqual(['a', 'b', 'c']);
  const names = readdirSync(`${dist}assets`).filter((name) => name.endsWith('.js'));
  const imported = names.map((name) => {
    const code = readFileSync(`${dist}assets/${name}`, 'utf8');
    return [...code.matchAll(/(?:from|import) ?["'`]\.\/([\w.-]+\.js)["'`]/g)].map(([, file = '']) => file);
  });
  expect(imported.flat().length).toBeGreaterThan(100);
  expect(circleOf(new Map(names.map((name, i) => [name, imported[i] ?? []])))).toBeNull();
});

test('links that name no task keep the one that they were written for', async ({ page }) => {
  const bare = ['./?backend=wasm', 'reverse_digits'] as const;
  const earlier = ['./?v=2&learningRate=0.001&backend=wasm', 'sum_digits'] as const;
  // `src/run/settings/url.test.ts` reads addresses of every kind.
  const all = [
    bare,
    ['./?v=3&backend=wasm', 'sum_digits'],
    ['./?seed=3&backend=wasm', 'sum_digits'],
    earlier,
    ['./?v=3&task=gcd&backend=wasm', 'gcd'],
  ] as const;
  for (const [address, task] of provenBy(all, [earlier, bare])) {
    await page.goto(address);
    await expect(page.getByTestId('task-select')).toHaveValue(task);
    if (task !== 'reverse_digits') await expect(page.getByTestId('recorded')).toBeHidden();
  }
  // The settings that the page opens with need no words in the address; all others name their version.
  await page.getByTestId('task-select').selectOption('sum_digits');
  await expect(page).toHaveURL(/\?backend=wasm&v=\d+&task=sum_digits$/);
  await page.getByTestId('task-select').selectOption('reverse_digits');
  await expect(page).toHaveURL(/\?backend=wasm$/);
});

test('cards choose a first run, others set the control that they name', async ({ page }) => {
  await page.goto('./?backend=wasm&keep=off&v=3&task=reverse_digits&numSteps=6&evalSamples=2&passAtK=1');
  await reachPhase(page, 'idle');
  const box = page.getByTestId('try-this');
  await goTo(page, 'learn');
  await expect(box.getByRole('button', { name: /^Reverse digits/ })).toContainText('150 steps');
  await expect(box.getByRole('button', { name: /^Spell backward/ })).toContainText('150 steps');
  await expect(box.getByRole('button', { name: /^Greatest common divisor/ })).toContainText(
    'It finds a shortcut',
  );
  const preset = box.getByRole('button', { name: /^Preset: Monarch digits/ });
  await expect(preset).toContainText('20 steps');
  await box.getByRole('button', { name: /^Learning rate × 30/ }).click();
  const rate = page.getByRole('spinbutton', { name: 'Learning rate', exact: true });
  await expect(rate).toHaveValue('0.009');
  await expect(rate).toBeFocused();
  await goTo(page, 'learn');
  await box.getByRole('button', { name: /^Only 2 answers/ }).click();
  await expect(page.getByRole('spinbutton', { name: 'Answers per problem', exact: true })).toHaveValue('2');
  await goTo(page, 'learn');
  await box.getByRole('button', { name: /^REINFORCE/ }).click();
  await expect(page.getByTestId('loss-select')).toHaveValue('reinforce');
  await expect(page).toHaveURL(/baseline=moving/);
  await goTo(page, 'learn');
  await preset.click();
  await expect(preset).toHaveAttribute('aria-pressed', 'true');
  await goTo(page, 'train');
  await expect(page.getByRole('spinbutton', { name: 'Steps', exact: true })).toHaveValue('20');
  await goTo(page, 'learn');
  await box.getByRole('button', { name: /^Sum digits/ }).click();
  await goTo(page, 'train');
  await expect(page.getByTestId('task-select')).toHaveValue('sum_digits');
});

for (const viewport of provenBy(
  [
    { width: 1440, height: 900 },
    { width: 1280, height: 720 },
    { width: 390, height: 844 },
  ],
  [{ width: 390, height: 844 }],
))
  test(`the first view changes beside the button as Train is pressed, before any answer, at ${viewport.width} x ${viewport.height}`, async ({
    page,
    openPage,
  }) => {
    await page.setViewportSize(viewport);
    // Parts that move by themselves jump to their end.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await openPage({ task: 'reverse_digits', evalSamples: 8, evalEvery: 0 });
    const picture = async (): Promise<string> =>
      (await page.screenshot({ animations: 'disabled' })).toString('base64');
    let before = '';
    await expect
      .poll(async () => {
        const last = before;
        before = await picture();
        return before === last;
      })
      .toBe(true);
    const button = await page.getByTestId('train-button').boundingBox();
    if (button === null) throw new Error('The button is not on the page.');
    // Generators can't answer anything yet.
    const letThrough = await holdBack(page, '**/assets/worker-*.js');
    await page.getByTestId('train-button').click();
    await expect(status(page)).not.toHaveAttribute('data-phase', 'idle');
    const changed = await page.evaluate(changedPixels, { before, after: await picture(), button });
    console.log(`pixels changed: ${changed}`);
    expect(changed).toBeGreaterThan(ENOUGH);
    expect(await snapshotOf(page)).toMatchObject({ step: 0, evaluations: [], preflight: null });
    letThrough();
  });
