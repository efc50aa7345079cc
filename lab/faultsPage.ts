/** The built page with a run that faults are done to: workers that fail when they are told, and moments to tell them. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import type { BrowserContext, CDPSession, Page } from 'playwright';
import { SETTINGS_VERSION } from '@rl-playground/run/settings';
import { evalFileJson } from '@rl-playground/run/records';
import type { RunPhase } from '@rl-playground/run/session';
import { timeless } from '@rl-playground/run/metrics';
import { fetchedAnswer } from '@rl-playground/base/testing/fetchedAnswer';

export const WORKER_FAULTS = [
  'generator throws',
  'generator closes',
  'generator hangs',
  'SIMD thread hangs',
] as const;
export const PAGE_FAULTS = ['GPU process killed', 'reload', 'tab crash', 'quota full'] as const;
export const FAULTS = [...WORKER_FAULTS, ...PAGE_FAULTS] as const;
export type FaultName = (typeof FAULTS)[number];

export const MOMENTS = ['generating', 'training', 'evaluating', 'saving', 'handing over'] as const;
export type Moment = (typeof MOMENTS)[number];

/** The beginning of the status line at each moment. */
const LABELS: Readonly<Record<Exclude<Moment, 'saving'>, string>> = {
  generating: 'Generators',
  training: 'Trainer',
  evaluating: 'Evaluating',
  'handing over': 'New weights',
};

/** The code before a generator's: it fails when it is told. */
const FAULTY_GENERATOR = `addEventListener('message', (event) => {
  if (event.data?.fault === undefined) return;
  event.stopImmediatePropagation();
  if (event.data.fault === 'generator throws') setTimeout(() => { throw new RangeError('Array buffer allocation failed'); });
  if (event.data.fault === 'generator closes') self.close();
  if (event.data.fault === 'generator hangs') for (;;);
});
`;

/** The code before a SIMD thread's: once the word that it shares with the page says so, it takes a part of a kernel and never ends it. */
const FAULTY_THREAD = `let fault = null;
addEventListener('message', (event) => {
  if (event.data?.faultWord === undefined) return;
  event.stopImmediatePropagation();
  fault = new Int32Array(event.data.faultWord);
});
const exchange = Atomics.compareExchange;
Atomics.compareExchange = (words, at, from, to) => {
  const was = exchange(words, at, from, to);
  if (was === from && fault !== null && exchange(fault, 0, 1, 2) === 1) for (;;);
  return was;
};
`;

interface FaultyWindow {
  /** Workers that generate, in the order in which they were started. */
  faultyGenerators: Worker[];
  /** The word that is shared with SIMD threads: 1 makes one of them hang, which sets it to 2. */
  faultWord: Int32Array | null;
  /** The page calls it at the first write of a commit. */
  onSaving: (() => void) | null;
}

/** Runs in the page ahead of its own scripts: remembers its workers. */
function watchWorkers(): void {
  const Original = window.Worker;
  const shared = window.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : null;
  const found: FaultyWindow = { faultyGenerators: [], faultWord: shared, onSaving: null };
  Object.assign(window, found);
  window.Worker = new Proxy(Original, {
    construct(target, [url, options]: ConstructorParameters<typeof Worker>) {
      const worker = new target(url, options);
      const { faultyGenerators } = window as unknown as FaultyWindow;
      if (/\/worker-/.test(String(url))) faultyGenerators.push(worker);
      if (/\/simdWorker-/.test(String(url)) && shared) worker.postMessage({ faultWord: shared.buffer });
      if (/\/keeperWorker-/.test(String(url))) {
        const post = worker.postMessage.bind(worker);
        worker.postMessage = (message: { type: string }, transfer: unknown) => {
          post(message, transfer as Transferable[]);
          const faulty = window as unknown as FaultyWindow;
          if (message.type !== 'piece') return;
          const then = faulty.onSaving;
          faulty.onSaving = null;
          then?.();
        };
      }
      return worker;
    },
  });
}

/** Makes the context's pages run workers that can fail, and remember them. */
export async function prepareFaults(context: BrowserContext): Promise<void> {
  for (const [pattern, prefix] of [
    [/\/assets\/worker-[^/]*\.js/, FAULTY_GENERATOR],
    [/\/assets\/simdWorker-[^/]*\.js/, FAULTY_THREAD],
  ] as const)
    await context.route(pattern, async (route) => {
      const response = await fetchedAnswer(route);
      await route.fulfill({ response, body: prefix + (await response.text()) });
    });
  await context.addInitScript(watchWorkers);
}

/** The tools outside of the page that its faults need. */
export interface Outside {
  readonly session: CDPSession;
  /** Kills the GPU process of the page's browser. */
  readonly killGpu: () => void;
}

/**
 * Does `fault` once the run is at `moment` of the step after `step`. Resolves when it has happened. Saving has no step, and means the
 * first commit after it.
 */
export async function armFault(
  page: Page,
  fault: FaultName,
  { moment, step }: { readonly moment: Moment; readonly step: number },
  { session, killGpu }: Outside,
): Promise<{ readonly happened: Promise<number> }> {
  let tell: (step: number) => void = () => undefined;
  const happened = new Promise<number>((resolve) => (tell = resolve));
  const { origin } = new URL(page.url());
  await page.exposeFunction('faultHappens', async (at: number) => {
    if (fault === 'GPU process killed') killGpu();
    else if (fault === 'quota full')
      await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1000 });
    else if (fault === 'tab crash') void session.send('Page.crash').catch(() => undefined);
    tell(at);
  });
  await page.evaluate(
    ({ kind, when, after, label }) => {
      const controller = window.rlPlayground?.controller;
      if (!controller) throw new Error('The engine is not there yet.');
      const faulty = window as unknown as FaultyWindow;
      const happens = Reflect.get(window, 'faultHappens') as (step: number) => Promise<void>;
      const act = (): void => {
        const at = controller.snapshot().step;
        if (kind.startsWith('generator')) faulty.faultyGenerators.at(-1)?.postMessage({ fault: kind });
        else if (kind === 'SIMD thread hangs' && faulty.faultWord) Atomics.store(faulty.faultWord, 0, 1);
        void happens(at);
        if (kind === 'reload') window.location.reload();
      };
      const stop = controller.subscribe(() => {
        const { step: now, progress, phase } = controller.snapshot();
        if (now < after || phase === 'loading') return;
        if (when === 'saving') faulty.onSaving = act;
        else if (progress?.label.startsWith(label ?? '') === true) act();
        else return;
        stop();
      });
    },
    { kind: fault, when: moment, after: step, label: moment === 'saving' ? null : LABELS[moment] },
  );
  return { happened };
}

/** True if workers were told to fail and did: others replaced a generator, or a thread took a part and kept it. */
export async function wentWrong(page: Page, fault: FaultName, generators: number): Promise<boolean> {
  const { started, word } = await page.evaluate(() => {
    const { faultyGenerators, faultWord } = window as unknown as FaultyWindow;
    return { started: faultyGenerators.length, word: faultWord?.[0] ?? 0 };
  });
  if (fault.startsWith('generator')) return started > generators;
  return fault !== 'SIMD thread hangs' || word === 2;
}

/** The milliseconds in which a page must be able to train. */
const PATIENCE = 120_000;

/** The page's address with settings. */
export function addressWith(url: string, settings: Readonly<Record<string, string | number>>): string {
  const query = new URLSearchParams({ v: String(SETTINGS_VERSION) });
  for (const [key, value] of Object.entries(settings)) query.set(key, String(value));
  return `${url}?${query}`;
}

/** Waits until the page can train. */
export async function pageReady(page: Page): Promise<void> {
  await page.locator('[data-testid="status"]:not([data-phase="loading"])').waitFor({ timeout: PATIENCE });
}

/** Opens the page and waits until it can train. It can be left without a question. */
export async function openAt(page: Page, address: string): Promise<void> {
  page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined));
  await page.goto(address, { timeout: PATIENCE });
  await pageReady(page);
}

export const stepOf = (page: Page): Promise<number> =>
  page.evaluate(() => window.rlPlayground?.controller.snapshot().step ?? 0);

/** Waits until the page rests in one of the phases; resolves to it. */
export async function reachOneOf(
  page: Page,
  phases: readonly RunPhase[],
  timeout: number,
): Promise<RunPhase> {
  const found = await page.waitForFunction(
    (wanted) => {
      const phase = window.rlPlayground?.controller.snapshot().phase;
      return phase !== undefined && wanted.includes(phase) ? phase : null;
    },
    phases,
    { timeout },
  );
  return (await found.jsonValue()) ?? 'failed';
}

/** The result of a run: hashes of its weights and its optimizer, and its log without the numbers that the machine decides. */
export interface Outcome {
  readonly files: Readonly<Record<string, string>>;
  readonly metrics: readonly string[];
  readonly evaluations: readonly string[];
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export async function outcomeOf(page: Page): Promise<Outcome> {
  await page.getByTestId('export-menu').click();
  const [caught] = await Promise.all([
    page.waitForEvent('download'),
    page.getByTestId('download-button').click(),
  ]);
  const files = unzipSync(readFileSync(await caught.path()));
  const { metrics, evaluations } = await page.evaluate(() => {
    if (window.rlPlayground === undefined) throw new Error('The engine is not there yet.');
    const { metrics: steps, evaluations: results } = window.rlPlayground.controller.snapshot();
    return { metrics: steps, evaluations: results.map((result) => ({ ...result, seconds: 0 })) };
  });
  const names = ['model.safetensors', 'optimizer.safetensors', 'reference.safetensors'];
  return {
    files: Object.fromEntries(names.map((name) => [name, sha256(files[name] ?? new Uint8Array())])),
    metrics: timeless(metrics).map((record) => JSON.stringify(record)),
    // The form is that of their files: one that was read from there has its fields in another order.
    evaluations: evaluations.map((result) => JSON.stringify(evalFileJson(result))),
  };
}

/** The differences in words; null if there are none. */
export function differenceOf(found: Outcome, expected: Outcome): string | null {
  const files = Object.keys(expected.files).filter((name) => found.files[name] !== expected.files[name]);
  const step = expected.metrics.findIndex((record, i) => record !== found.metrics[i]);
  const problems = [
    ...files,
    ...(step >= 0 || found.metrics.length !== expected.metrics.length
      ? [`metrics from step ${step + 1} on (${found.metrics.length} of ${expected.metrics.length} steps)`]
      : []),
    ...(found.evaluations.join('\n') === expected.evaluations.join('\n') ? [] : ['evaluations']),
  ];
  return problems.length === 0 ? null : problems.join(', ');
}
