/** The benchmark of a visitor's machine, in the page: a minute at most, on the device of the page's run, which rests. */
import { version } from '../package.json' with { type: 'json' };
import {
  breathe,
  canFuseProducts,
  factsOfDevice,
  hasFeature,
  parameterCount,
} from '@rl-playground/engine/parts';
import { checkBackend, gpuDispatcher, tf } from '@rl-playground/engine/parts/tensors';
import type { BackendInfo } from '../session/types.ts';
import type { RunController } from '../session/controller.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { createPageEngine } from '../session/pageEngine.ts';
import { address } from '../models/besidePage.ts';
import { loadBundledModel } from '../models/namedModels.ts';
import { keepBenchmarkRates } from '../plan/rates.ts';
import {
  FIGURES,
  figureOf,
  plainLine,
  ROWS,
  type BenchmarkResult,
  type Figure,
  type FigureName,
} from './benchmarkResult.ts';
import { browserText } from './browserText.ts';
import { copyWork, productSize, productWork, type Work } from './deviceWork.ts';
import { engineWork } from './engineWork.ts';
import { BUSY, secondsOf, type InTurn, type Pace } from './timing.ts';

/** A part is given so long, and what has not begun by the end of all is left out. */
const HARDWARE: Pace = { repeats: 7, seconds: 4 };
const SOFTWARE: Pace = { repeats: 5, seconds: 6 };
const MOST_MILLISECONDS = 30_000;

/** The part of the page's run that lets others use its device. */
export type Resting = Pick<RunController, 'snapshot' | 'subscribe' | 'isBusy' | 'beside'>;

export interface Benchmarking {
  /** The run whose bundled model, task and loss are used. */
  readonly config: RunConfig;
  /** Ends the benchmark, which rejects with the signal's reason. */
  readonly signal: AbortSignal;
  readonly onProgress: (label: string, done: number, total: number) => void;
}

/**
 * Measures the machine of the page. Each repeat is a turn of its own, so that a run waits for one of them at most; one that begins ends the
 * benchmark. @throws Error where a run is under way, where the device is not there or fails, and the signal's reason
 */
export async function benchmarkInPage(
  controller: Resting,
  { config, signal, onProgress }: Benchmarking,
): Promise<BenchmarkResult> {
  const { backend } = controller.snapshot();
  if (backend === null) throw new Error('The engine is not ready. Wait for it, then try again.');
  if (controller.isBusy) throw new Error(BUSY);
  const isHardware = backend.backend === 'webgpu' && !backend.software;
  const pace = isHardware ? HARDWARE : SOFTWARE;
  const now = (): number => performance.now();
  const end = now() + MOST_MILLISECONDS;
  const inTurn: InTurn = async (work) => {
    // A run that waited for the last turn begins in this pause.
    await breathe();
    signal.throwIfAborted();
    if (controller.isBusy) throw new Error(BUSY);
    return controller.beside(work);
  };
  const total = Object.keys(FIGURES).length;
  let done = 0;
  const timed = async (name: FigureName, work: Work): Promise<readonly number[] | null> => {
    onProgress(FIGURES[name].label, done++, total);
    return now() < end ? secondsOf(work.run, pace, inTurn, now) : null;
  };
  const alone = async (name: FigureName, work: Work): Promise<Figure | null> => {
    try {
      return speedOf(work, await timed(name, work));
    } finally {
      work.dispose();
    }
  };

  const copy = await alone('copy', copyWork(isHardware));
  const product = await alone('product', productWork(isHardware));
  const model = await loadBundledModel(config.model, address, () => undefined);
  const open = await inTurn(() =>
    createPageEngine(controller, { model: { ...model, stopTokenIds: [] }, settings: { seed: config.seed } }),
  );
  try {
    const { promptIds, problem } = open.task(config.task);
    const groups = ROWS / config.rolloutsPerProblem;
    const prompts = Array.from({ length: groups }, (_, i) => promptIds(problem(i)));
    const { rows, one, update, tokens } = engineWork(open, prompts, config, signal);
    const sampling = await timed('rows', rows);
    const single = await timed('one', one);
    const updating = await timed('update', update);
    await checkBackend();
    signal.throwIfAborted();
    const [secondsSampling, secondsUpdate] = [sampling, updating].map((all) => all && figureOf(all).median);
    if (secondsSampling != null && secondsUpdate != null)
      keepBenchmarkRates(backend.line, {
        weights: parameterCount(model.config),
        tokens,
        secondsSampling,
        secondsUpdate,
      });
    return {
      version,
      day: new Date().toISOString().slice(0, 10),
      ...deviceIn(backend),
      productSize: productSize(isHardware),
      figures: {
        copy,
        product,
        rows: speedOf(rows, sampling),
        one: speedOf(one, single),
        update: updating && figureOf(updating),
      },
    };
  } finally {
    open.dispose();
  }
}

const speedOf = ({ amount }: Work, seconds: readonly number[] | null): Figure | null =>
  seconds && figureOf(seconds.map((each) => amount / each));

/** The device in words, as far as the browser tells. */
function deviceIn({
  backend,
  software,
  line,
  threads,
}: BackendInfo): Omit<BenchmarkResult, 'version' | 'day' | 'productSize' | 'figures'> {
  const browser = plainLine(browserText(navigator.userAgent));
  const shared = { browser, backend, threads };
  if (backend === 'wasm')
    return {
      ...shared,
      software: false,
      name: 'CPU',
      vendor: '',
      architecture: '',
      description: '',
      features: canFuseProducts() ? ['relaxed SIMD'] : [],
      subgroups: null,
    };
  const { device } = gpuDispatcher(tf.backend());
  const facts = factsOfDevice(device);
  const { subgroupMinSize: least, subgroupMaxSize: most } = facts;
  return {
    ...shared,
    software,
    name: plainLine(line.split(' · ')[0] ?? line),
    vendor: plainLine(facts.vendor),
    architecture: plainLine(facts.architecture),
    description: plainLine(facts.description),
    features: (['shader-f16', 'subgroups'] as const).filter((feature) => hasFeature(device, feature)),
    subgroups: least > 0 && most > 0 ? [least, most] : null,
  };
}
