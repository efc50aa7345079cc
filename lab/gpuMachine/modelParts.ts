/** The parts on models of published sizes: loading, and training and decoding with LoRA by phase. */
import { basename } from 'node:path';
import { copyRate } from './adapterReport.ts';
import { onEmptyPage } from './adapterPart.ts';
import { bench, leavingOut } from './benchParts.ts';
import type { Part, PartTask } from './budget.ts';
import { runChild } from './child.ts';
import type { Row } from './rows.ts';
import { loraSettings, shapedFolder, smallModel, weightBytes, withoutPage, type Setup } from './setup.ts';

const FIGURES: readonly (readonly [pattern: RegExp, name: string, unit: string])[] = [
  [/^loaded in ([\d.]+) s/, 'loading', 's'],
  [/^step (\d+): ([\d.]+) s/, 'a step', 's'],
  [/^step (\d+): .*sampling ([\d.]+)/, 'sampling', 's'],
  [/^step (\d+): .*training ([\d.]+)/, 'training', 's'],
  [/^GPU buffers of the page: (\d+) MB at most/, 'GPU memory of the trainer, peak', 'MB'],
];

/** The figures in a line of `npm run lab -- footprint`. */
export const footprintRows = (line: string): Row[] =>
  FIGURES.flatMap(([pattern, name, unit]) => {
    const [, ...found] = pattern.exec(line) ?? [];
    const [step, value = step] = found;
    if (value === undefined) return [];
    return [{ name, ...(found.length > 1 ? { shape: `step ${step}` } : {}), value: Number(value), unit }];
  });

async function footprint(setup: Setup, path: string, { signal, emit }: PartTask): Promise<void> {
  const words = ['src/cli/run.mjs', 'lab/lab', 'footprint', '--backend', 'webgpu', '--model', path];
  const onLine = (line: string): void => footprintRows(line).forEach(emit);
  await runChild([...words, ...loraSettings(setup)], { signal, onLine });
}

export const loadPart = (setup: Setup): Part => ({
  name: 'load',
  purpose: 'a model of 135M parameters from its file to the GPU',
  seconds: 25,
  hindrance: () => withoutPage(setup),
  async run(task) {
    const path = smallModel(setup);
    const loaded = new AbortController();
    const emit = (row: Row): void => {
      if (loaded.signal.aborted) return;
      task.emit({ ...row, shape: `${(weightBytes(path) / 1e6).toFixed(1)} MB` });
      loaded.abort();
    };
    await footprint(setup, path, { emit, signal: AbortSignal.any([task.signal, loaded.signal]) });
  },
});

/** Bytes of a buffer that is copied, larger than any cache, and the copies in a round. */
const COPIED = { bytes: 2 ** 28, copies: 20 };
const SMALL_COPIED = { bytes: 2 ** 22, copies: 2 };

/** The share of the copy rate at which one row reads weights while it is decoded. `bytes` are those of all weights, `rate` is in bytes per second. */
export const bandwidthRow = (bytes: number, tokensPerSecond: number, rate: number): Row => ({
  name: 'share of measured bandwidth, one row',
  value: (100 * bytes * tokensPerSecond) / rate,
  unit: '%',
  note: `${(bytes / 1e6).toFixed(0)} MB of weights x ${tokensPerSecond.toFixed(1)} tokens/s`,
});

async function byPhase(setup: Setup, path: string, task: PartTask): Promise<void> {
  const { signal, emit } = task;
  emit({ name: 'model', note: `${basename(path)}, ${(weightBytes(path) / 1e6).toFixed(1)} MB` });
  const rate = await onEmptyPage(signal, (page) =>
    page.evaluate(copyRate, setup.rehearse ? SMALL_COPIED : COPIED),
  );
  if (rate !== null) emit({ name: 'copy rate', value: rate / 1e9, unit: 'GB/s', note: 'read and written' });
  await footprint(setup, path, task);
  // transformers.js has a part of its own.
  const ours = { ...leavingOut(setup, ['transformers.js']), python: null };
  const rows = await bench(ours, ['--suite', 'lora', '--model', path], task);
  const one = rows.find(({ shape = '' }) => shape.startsWith('batch of 1,'))?.value;
  if (rate !== null && one !== undefined) emit(bandwidthRow(weightBytes(path), one, rate));
}

export const sizeParts = (setup: Setup): Part[] => [
  {
    name: '135m',
    purpose: 'LoRA on 135M parameters by phase, GPU memory, share of bandwidth',
    seconds: 70,
    hindrance: () => withoutPage(setup),
    run: (task) => byPhase(setup, smallModel(setup), task),
  },
  {
    name: '0.5b',
    purpose: 'the same with 0.5B parameters',
    seconds: 80,
    hindrance: () => withoutPage(setup),
    run: (task) => byPhase(setup, shapedFolder(setup, 'qwen2.5-0.5b'), task),
  },
];
