/**
 * `npm run lab -- footprint`: trains a model of a published shape with random weights, or a given one, on the built page, and reports what that takes: memory of
 * the browser's processes and what the page's thread asks its GPU for, seconds by phase, and the checkpoint. Memory is read from /proc,
 * so it is for Linux. Exit codes: 0 done, 1 the run failed, 2 bad arguments.
 */
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import type { CDPSession } from 'playwright';
import { SHAPE_NAMES } from '@rl-playground/run/models';
import type { NumberType } from '@rl-playground/engine/parts';
import { fromCaller } from '@rl-playground/engine/parts/node';
import { bufferBytesOf, countBuffersInPage } from './bufferBytes.ts';
import { onServedPage } from './builtPage.ts';
import { printLine } from '@rl-playground/base/print';
import { processesBelow } from '@rl-playground/run/disk';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram } from '../src/cli/program.ts';
import { residentPartsOf } from './residentParts.ts';
import { writeShapedModel } from './shapedModel.ts';
import { parseTrainArguments } from '../src/cli/trainArguments.ts';
import { openTrainPage } from '../src/cli/trainPage.ts';

interface Options {
  readonly shape: string;
  readonly model?: string;
  readonly dtype: NumberType;
  readonly backend: 'wasm' | 'webgpu';
  readonly limits?: 'default';
}

const SETTINGS = [
  'loraRank=32',
  'problemsPerStep=1',
  'rolloutsPerProblem=2',
  'maxTokens=8',
  'numGenerators=1',
  'evalSamples=1',
  'evalEvery=0',
];

const line = () =>
  command(
    'npm run lab -- footprint',
    `Trains a random model of a published shape on the page and reports memory and times. Settings behind the options go to the run; without any: ${SETTINGS.join(' ')}, and 10 steps.`,
    '--shape smollm2-135m --backend wasm --num-steps 3 loraRank=32',
  )
    .addOption(new Option('--shape <name>', 'of the model').choices(SHAPE_NAMES).default('smollm2-135m'))
    .option('--model <path>', 'a folder, zip or GGUF file in its place')
    .addOption(
      new Option('--dtype <type>', 'of the weights in its file')
        .choices(['BF16', 'F16', 'F32'])
        .default('BF16'),
    )
    .addOption(new Option('--backend <name>', 'what computes').choices(['wasm', 'webgpu']).default('wasm'))
    .addOption(
      new Option(
        '--limits <which>',
        'of the GPU device: no more than WebGPU promises everywhere, and phones have',
      ).choices(['default']),
    )
    .allowUnknownOption()
    .allowExcessArguments();

interface Memory {
  readonly renderer: number;
  readonly gpu: number;
}

/** Resident bytes of the largest renderer and of the GPU process below this one. */
function memoryNow(): Memory {
  const processes = processesBelow();
  const largest = (type: string): number =>
    Math.max(0, ...processes.filter(({ words }) => words.includes(type)).map(({ resident }) => resident));
  return { renderer: largest('--type=renderer'), gpu: largest('--type=gpu-process') };
}

/** Says whose the memory of the largest renderer is. The wasm heaps of a run never shrink, so they show its peak at its end, too. */
function ownersLine(): string {
  const [largest] = processesBelow()
    .filter(({ words }) => words.includes('--type=renderer'))
    .sort((a, b) => b.resident - a.resident);
  if (!largest) return '';
  const { program, heaps, others } = residentPartsOf(largest.pid);
  return `of the renderer: wasm heaps ${heaps.map(megabytes).join(' + ')}, the browser’s program ${megabytes(program)}, JavaScript and the rest ${megabytes(others)}`;
}

/** The resident bytes of the renderer without what its browser has not yet collected. */
async function heldNow(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  return memoryNow().renderer;
}

/** Milliseconds between two looks at the memory. */
const INTERVAL = 100;

/** Looks at the memory until it is stopped; `reset` begins a new peak, and returns the one before it. */
function watchMemory(): { reset: () => Memory; stop: () => void } {
  let peak = memoryNow();
  const timer = setInterval(() => {
    const { renderer, gpu } = memoryNow();
    peak = { renderer: Math.max(peak.renderer, renderer), gpu: Math.max(peak.gpu, gpu) };
  }, INTERVAL);
  return {
    reset() {
      const before = peak;
      peak = memoryNow();
      return before;
    },
    stop: () => clearInterval(timer),
  };
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
const secondsSince = (began: number): number => (performance.now() - began) / 1000;

function shapedFolder(shape: string, dtype: NumberType): string {
  const folder = join(tmpdir(), `rl-playground-${shape}-${dtype.toLowerCase()}`);
  writeShapedModel(folder, shape, dtype);
  return folder;
}

export default simpleProgram<Options>(line, ({ shape, model, dtype, backend, limits }, words) => {
  const folder = model === undefined ? shapedFolder(shape, dtype) : fromCaller(model);
  const given = words.length > 0 ? words : ['--num-steps', '10', ...SETTINGS];
  const asked = parseTrainArguments([
    '--task',
    'sum_digits',
    '--model',
    folder,
    '--backend',
    backend,
    ...given,
  ]);
  if ('exitCode' in asked) throw new BadInput(asked.text);
  if ('resume' in asked) throw new BadInput('--resume: a footprint is of a run from its beginning.');
  return onServedPage(async (url) => {
    const choice = { backend, defaultLimits: limits === 'default' };
    const page = await openTrainPage(url, choice, countBuffersInPage);
    const session = await page.page.context().newCDPSession(page.page);
    const memory = watchMemory();
    try {
      printLine(`${page.adapter}\n${model ?? `${shape} ${dtype}`}: ${given.join(' ')}`);
      let began = performance.now();
      await page.giveModel({ label: folder }, { model: folder, adapter: null });
      const loadSeconds = secondsSince(began);
      const afterLoad = memory.reset();
      printLine(
        `loaded in ${loadSeconds.toFixed(1)} s; peak: renderer ${megabytes(afterLoad.renderer)}, GPU process ${megabytes(afterLoad.gpu)}; held without garbage: renderer ${megabytes(await heldNow(session))}`,
      );
      let updates = 0;
      const last = await page.train(asked.config, ({ sft, metrics, notices }) => {
        for (const loss of sft) printLine(`supervised update ${++updates}: loss ${loss.toFixed(4)}`);
        for (const { step, seconds, secondsRollout, secondsTrain, klSampleTrainV2 } of metrics) {
          const now = memoryNow();
          printLine(
            `step ${step}: ${seconds.toFixed(2)} s (sampling ${secondsRollout.toFixed(2)}, training ${secondsTrain.toFixed(2)}), KL of sampler and trainer ${(klSampleTrainV2 ?? NaN).toExponential(1)}, renderer ${megabytes(now.renderer)}, GPU process ${megabytes(now.gpu)}`,
          );
        }
        for (const { kind, title, text } of notices) printLine(`${kind}: ${title}. ${text}`);
      });
      const peak = memory.reset();
      printLine(`held without garbage: renderer ${megabytes(await heldNow(session))}; ${ownersLine()}`);
      const buffers = await bufferBytesOf(page.page);
      began = performance.now();
      const checkpointBytes = last.step > 0 ? statSync(await page.checkpoint('now')).size : 0;
      const checkpointSeconds = secondsSince(began);
      const afterSave = memory.reset();
      if (buffers && buffers.peak > 0)
        printLine(
          `GPU buffers of the page: ${megabytes(buffers.peak)} at most, ${megabytes(buffers.now)} at the end`,
        );
      printLine(
        `phase ${last.phase} after ${last.step} steps; peak in the run: renderer ${megabytes(peak.renderer)}, GPU process ${megabytes(peak.gpu)}; ` +
          `checkpoint ${megabytes(checkpointBytes)} in ${checkpointSeconds.toFixed(1)} s (renderer ${megabytes(afterSave.renderer)})`,
      );
      return last.phase === 'finished' ? 0 : 1;
    } finally {
      memory.stop();
      await page.close();
    }
  });
});
