/** Workers of a page that go wrong when they are told, and the moments to tell them. */
import type { BrowserContext, CDPSession, Page } from 'playwright';
import { fetchedAnswer } from '@rl-playground/base/testing/fetchedAnswer';

const GENERATOR_FAULTS = ['generator throws', 'generator closes', 'generator hangs'] as const;
const PAGE_FAULTS = ['GPU process killed', 'reload', 'tab crash', 'quota full'] as const;
export const FAULTS = [...GENERATOR_FAULTS, 'SIMD thread hangs', ...PAGE_FAULTS] as const;
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

/** Code put before the program of a generator, which then fails when it is told to. */
const FAULTY_GENERATOR = `addEventListener('message', (event) => {
  if (event.data?.fault === undefined) return;
  event.stopImmediatePropagation();
  if (event.data.fault === 'generator throws') setTimeout(() => { throw new RangeError('Array buffer allocation failed'); });
  if (event.data.fault === 'generator closes') self.close();
  if (event.data.fault === 'generator hangs') for (;;);
});
`;

/** Code put before the program of a SIMD thread: it takes a part of a kernel and never ends it once the word that it shares with the page is 1. */
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

/** Has the context's pages run workers that can go wrong, and remember them. */
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

/** The means to break a page from outside. */
interface Outside {
  readonly session: CDPSession;
  /** Kills the GPU process of the page's browser. */
  readonly killGpu: () => void;
}

/** Does `fault` at `moment` of the step after `step`, and resolves once it has happened. Saving means the first commit after that step. */
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

/** Resolves to true if the workers failed as they were told: others replaced a generator, or a thread took a part and kept it. */
export async function wentWrong(page: Page, fault: FaultName, generators: number): Promise<boolean> {
  const { started, word } = await page.evaluate(() => {
    const { faultyGenerators, faultWord } = window as unknown as FaultyWindow;
    return { started: faultyGenerators.length, word: faultWord?.[0] ?? 0 };
  });
  if (fault.startsWith('generator')) return started > generators;
  return fault !== 'SIMD thread hangs' || word === 2;
}
