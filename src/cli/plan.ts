/** `npx rl-playground plan --model M`: tells whether a run fits into a machine's memory. Exit codes: 0 it fits, 1 it does not, 2 refused. */
import { existsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Option } from 'commander';
import { BadInput, orBadInput } from '@rl-playground/base/errors';
import { bytesText } from '@rl-playground/base/text';
import { textOfValue, type FieldKey, type RunConfig } from '@rl-playground/run/settings';
import { filesInFolder, fromCaller } from '@rl-playground/engine/parts/node';
import { type ModelFiles, LoraError, parameterCount } from '@rl-playground/engine/parts';
import { largeModelSettings } from '@rl-playground/run/models';
import { findModelNamed } from '@rl-playground/run/models/node';
import {
  parseLimits,
  UNKNOWN_LIMITS,
  modelOfFiles,
  planRun,
  type MemoryLimits,
  type Plan,
} from '@rl-playground/run/plan';
import { MIXTURE, TASK_NAMES } from '@rl-playground/tasks/parts';
import { allowServerOption, hubOptions, hubUrlOption, MODEL_NAMES, type HubWords } from './hubOptions.ts';
import { machineRates } from './machineRates.ts';
import { printLine } from '@rl-playground/base/print';
import { command, parsedWords, program, type Program, type Refusal } from './program.ts';
import { rewardBytesFor } from './rewardModelOnDisk.ts';
import { readText } from '@rl-playground/run/disk';
import { assemble } from './settings/assemble.ts';
import { withSpelledOptions } from './settings/commandWords.ts';
import { FILES_ON_DISK, statesLora } from './trainArguments.ts';

interface Options extends HubWords {
  readonly model?: string;
  readonly task: string;
  readonly limits?: string;
  readonly backend: 'webgpu' | 'wasm';
  readonly json?: true;
}

interface Asked extends Options {
  readonly config: RunConfig;
  readonly loraStated: boolean;
}

/** Limits that come with this program, by their file names. */
const KNOWN_LIMITS = fileURLToPath(new URL('./limits/', import.meta.url));

const line = () =>
  command(
    'npx rl-playground plan',
    'Says what a run takes of memory, item by item, whether a machine has it, and which settings would make it fit. Of the weights nothing is read but a header.',
    '--model starter --limits laptop-8gb.json loraRank=32 baseFormat=q4',
  )
    .argument(
      '[setting=value...]',
      'settings by any of their names; npx rl-playground train --help lists them',
    )
    .option(
      '--model <name>',
      `${MODEL_NAMES}, or of a config.json alone (the bundled one that suits the task by default)`,
    )
    .addOption(hubUrlOption())
    .addOption(allowServerOption())
    .addOption(
      new Option('--task <name>', 'what to learn').choices([...TASK_NAMES, MIXTURE]).default('sum_digits'),
    )
    .option(
      '--limits <file>',
      'JSON with maxBufferSize, maxStorageBufferBindingSize, gpuBytes, hostBytes, in bytes; laptop-8gb.json comes along (by default this machine’s memory, and a GPU of which nothing is known)',
    )
    .addOption(
      new Option('--backend <name>', 'where it is to compute').choices(['webgpu', 'wasm']).default('webgpu'),
    )
    .option('--json', 'print JSON alone');

function readWords(words: readonly string[]): Asked | Refusal {
  const program = line();
  const own = new Set(program.options.flatMap(({ long }) => long ?? []));
  const parsed = parsedWords<Options>(program, withSpelledOptions(words, own));
  if ('exitCode' in parsed) return parsed;
  const { options, args } = parsed;
  const task = { flag: '--task', key: 'task', text: options.task } as const;
  const result = assemble(
    { file: {}, preset: null, options: [task], usual: [], set: [], bare: args },
    FILES_ON_DISK,
  );
  return result.ok
    ? { ...options, config: result.config, loraStated: statesLora(words) }
    : { text: result.errors.join('\n'), exitCode: 2 };
}

/** @throws BadInput */
function limitsOf(file: string | undefined): MemoryLimits {
  if (file === undefined) return { ...UNKNOWN_LIMITS, hostBytes: totalmem() };
  const own = fromCaller(file);
  const path = existsSync(own) ? own : `${KNOWN_LIMITS}${file}`;
  if (!existsSync(path))
    throw new BadInput(`${file} does not exist. Name a file of limits, or laptop-8gb.json.`);
  return orBadInput(
    () => parseLimits(JSON.parse(readText(path))),
    (why) => `${file}: ${why}`,
  );
}

/** The files of a model; for a config.json that is named itself, those of its folder. */
async function filesOf(model: string, words: HubWords): Promise<ModelFiles> {
  return model.endsWith('config.json') && existsSync(fromCaller(model))
    ? filesInFolder(dirname(fromCaller(model)), model)
    : (await findModelNamed(model, hubOptions(words))).model;
}

const settingsText = (settings: Partial<RunConfig>): string =>
  (Object.entries(settings) as [FieldKey, RunConfig[FieldKey]][])
    .map(([key, value]) => `${key}=${textOfValue(value)}`)
    .join(' ');

function tableOf({ items, peak, limits, fits, advice, step }: Plan): string {
  const row = (name: string, gpu: string, host: string): string =>
    `${name.padEnd(36)}${gpu.padStart(10)}${host.padStart(10)}`;
  const known = (bytes: number | null): string => (bytes === null ? 'unknown' : bytesText(bytes));
  return [
    row('', 'GPU', 'host'),
    ...items.map(({ name, where, bytes }) =>
      row(name, where === 'gpu' ? bytesText(bytes) : '', where === 'host' ? bytesText(bytes) : ''),
    ),
    row('together', bytesText(peak.gpu), bytesText(peak.host)),
    row('of', known(limits.gpuBytes), known(limits.hostBytes)),
    fits ? 'It fits.' : 'It does not fit.',
    ...advice.map(({ text, settings }) => `It would with: ${text} (${settingsText(settings)})`),
    step.text,
  ].join('\n');
}

/** `rates` is the file with the measured rates of this machine, if it is not the usual one. */
export const planProgram = (rates?: string): Program =>
  program<Asked>(readWords, async (asked) => {
    const { limits, backend, loraStated, json } = asked;
    const files = await filesOf(asked.model ?? asked.config.model, asked);
    const model = await modelOfFiles(files, asked.config);
    const large = loraStated ? null : largeModelSettings(parameterCount(model.config), asked.config);
    const config = { ...asked.config, ...large };
    const rewardBytes = await rewardBytesFor(config.rewardModel, asked, backend);
    const request = { limits: limitsOf(limits), model, config, rewardBytes };
    try {
      const plan = planRun({ ...request, backend, rates: machineRates(backend, rates) });
      printLine(json ? JSON.stringify(plan) : tableOf(plan));
      return plan.fits ? 0 : 1;
    } catch (error) {
      throw error instanceof LoraError ? new BadInput(error.message) : error;
    }
  });

export default planProgram();
