/**
 * `npm run lab -- charts`: measures the cost of a redraw of the four charts for the page's thread in a long run, as the longest task of
 * each, in milliseconds of processor time. The crosshair crosses all of them, which costs more.
 */
import type { Page } from 'playwright';
import { median } from '@rl-playground/base/statistics';
import { addressWith } from './faultsPage.ts';
import { onBuiltPage } from './builtPage.ts';
import { patientPage } from '../src/cli/enginePage.ts';
import { printLine } from '@rl-playground/base/print';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import { showLongRun } from '../src/page/testing/longRun.ts';

interface Options {
  readonly steps: number;
  readonly redraws: number;
}

/** The charts from the top of the page down. */
const CHARTS = ['reward', 'accuracy', 'format', 'kl'];
/** The size of a window that shows all of them. */
const VIEWPORT = { width: 1280, height: 1600 };
const MARK = 'one more step';

const line = () =>
  command(
    'npm run lab -- charts',
    'Measures what a redraw of the charts costs the page’s thread in a long run.',
    '--steps 10000 --redraws 12',
  )
    .option('--steps <n>', 'steps of the run that is drawn', wholeNumber(1), 10_000)
    .option('--redraws <n>', 'redraws that are measured', wholeNumber(1), 12);

/** Makes one more step. Numbers change at once, curves a few frames later; all are drawn before the next step. */
const oneMore = (page: Page): Promise<void> =>
  page.evaluate(
    async ([mark, frames]) => {
      performance.mark(mark);
      (Reflect.get(window, 'oneMoreStep') as () => void)();
      for (let i = 0; i < frames; i++) await new Promise(requestAnimationFrame);
    },
    [MARK, 4 * CHARTS.length] as const,
  );

/** An event of Chrome's trace; times are in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
}

/**
 * Milliseconds of processor time of the longest task that ran a script after each mark, until the next: charts are drawn in those. The task of the mark
 * itself began before it; collections of garbage run no script.
 */
function longestTasks(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const marks = traceEvents.filter(({ name }) => name === MARK).toSorted((a, b) => a.ts - b.ts);
  const [first] = marks;
  if (first === undefined) throw new Error('The trace has no mark.');
  const own = traceEvents.filter(({ pid, tid }) => pid === first.pid && tid === first.tid);
  const calls = own.filter(({ name }) => name === 'FunctionCall' || name === 'FireAnimationFrame');
  const tasks = own.filter(
    ({ name, ts, dur = 0 }) =>
      name === 'RunTask' && calls.some((call) => call.ts >= ts && call.ts < ts + dur),
  );
  return marks.map(({ ts }, i) => {
    const end = marks[i + 1]?.ts ?? Infinity;
    const found = tasks.filter((task) => task.ts > ts && task.ts < end);
    return Math.max(0, ...found.map(({ tdur = 0 }) => tdur / 1000));
  });
}

const SETTINGS = {
  backend: 'wasm',
  keep: 'off',
  passAtK: 1,
  task: 'reverse_digits',
  problemsPerStep: 2,
  evalSamples: 2,
  numSteps: 1,
  maxTokens: 8,
};

export default simpleProgram<Options>(line, (options) =>
  onBuiltPage('webgpu', async (url, browser) => {
    const page = await patientPage(browser);
    await page.setViewportSize(VIEWPORT);
    await page.goto(addressWith(url, SETTINGS));
    await page.getByTestId('train-button').click();
    await page.locator('[data-testid="status"][data-phase="finished"]').waitFor();
    await page.evaluate(showLongRun, { steps: options.steps, more: options.redraws + 10 });
    await page.getByTestId('chart-reward').hover();
    for (const id of CHARTS) await page.locator(`[data-testid="chart-${id}"] .recharts-wrapper`).waitFor();
    for (let more = 0; more < 4; more++) await oneMore(page);
    await browser.startTracing(page, {
      categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'blink.user_timing'],
    });
    for (let more = 0; more < options.redraws; more++) await oneMore(page);
    const longest = longestTasks(await browser.stopTracing()).toSorted((a, b) => a - b);
    printLine(
      `longest task of each redraw, ms of processor time: ${longest.map((ms) => ms.toFixed(1)).join(', ')}; median ${median(longest).toFixed(1)}, and a frame has 16`,
    );
  }),
);
