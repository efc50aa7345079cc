/** Measures how fast the page trains in a tab behind another, in a window that a person could see, compared with a tab in front. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBrowser } from '../src/cli/ensureBrowser.ts';
import { launchArguments } from '../src/cli/browser.ts';
import { launchPiped, type PipedTab } from './browserPipe.ts';
import { BadInput } from '@rl-playground/base/errors';

/** The number of measurements of each kind, in turn, so that a busy machine does not affect only one of them. */
const TURNS = 3;
/** The milliseconds of one wait. */
const PATIENCE = 120_000;
/** Milliseconds between two looks. */
const POLLING = 100;

/** The switches that keep tabs awake under test, which are left out here because sleep is what is tested. */
const AWAKE = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
];

export interface Rates {
  /** Steps per second. */
  readonly visible: number;
  readonly hidden: number;
}

async function until(tab: PipedTab, what: string, expression: string): Promise<void> {
  const last = performance.now() + PATIENCE;
  while ((await tab.evaluate(expression)) !== true) {
    if (performance.now() > last)
      throw new Error(`The page took longer than ${PATIENCE / 1000} s to ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, POLLING));
  }
}

const STEP = '(window.rlPlayground?.controller.snapshot().step ?? 0)';
const LOADED = `document.querySelector('[data-testid="status"]:not([data-phase="loading"])')`;
const TRAIN = `document.querySelector('[data-testid="train-button"]')`;

async function rateOver(tab: PipedTab, steps: number): Promise<number> {
  const now = async () => (await tab.evaluate(`[${STEP}, performance.now()]`)) as [number, number];
  const [fromStep, from] = await now();
  await until(tab, `make ${steps} steps`, `${STEP} >= ${fromStep + steps}`);
  const [toStep, to] = await now();
  return (1000 * (toStep - fromStep)) / (to - from);
}

/**
 * Trains on the page at `address`, whose run is long enough, in front of and behind another tab in turn, `steps` steps each time.
 *
 * @throws BadInput without a display, Error if the browser does not hide the tab.
 */
export async function hiddenRates(address: string, steps: number): Promise<Rates> {
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY'])
    throw new BadInput('--hidden: a window needs a display, and DISPLAY names none. Run it under xvfb-run.');
  const profile = mkdtempSync(join(tmpdir(), 'rl-playground-hidden-'));
  const browser = launchPiped(ensureBrowser().executablePath, [
    ...launchArguments('webgpu').filter((argument) => !AWAKE.includes(argument)),
    '--no-default-browser-check',
    `--user-data-dir=${profile}`,
  ]);
  const rates = { visible: 0, hidden: 0 };
  try {
    const tab = await browser.open(address);
    await until(tab, 'load', `${LOADED} !== null`);
    const other = await browser.open('about:blank');
    await tab.evaluate(`${TRAIN}.click()`);
    await until(tab, 'make a step', `${STEP} > 0`);
    for (let turn = 0; turn < TURNS; turn++)
      for (const way of ['visible', 'hidden'] as const) {
        await (way === 'visible' ? tab : other).bringToFront();
        await until(tab, `become ${way}`, `document.visibilityState === '${way}'`);
        rates[way] += (await rateOver(tab, steps)) / TURNS;
      }
    return rates;
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
