/** The command line of `npm run lab -- bench`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { SHAPE_NAMES, BUNDLED_MODELS } from '@rl-playground/run/models';
import type { BenchOptions } from './run.ts';
import {
  DEFAULT_SUITES,
  PEER_NAMES,
  SUITE_NAMES,
  type BackendName,
  type PeerName,
  type SuiteName,
} from './types.ts';
import { fromCaller } from '@rl-playground/engine/parts/node';
import { bundledFolder } from '@rl-playground/run/models/node';
import { command, parsedWords, wholeNumber, type Refusal } from '../../src/cli/program.ts';

/** The model as the command line names it; a folder or a GGUF file is a path of this machine. */
export type ModelChoice =
  | { readonly kind: 'starter' }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'shape'; readonly name: string };

export interface BenchArguments extends Omit<BenchOptions, 'model'> {
  readonly model: ModelChoice;
  /** A Python that has torch and TRL, for the peers of these names; null leaves them out. */
  readonly python: string | null;
  /** True for lines of JSON on standard output. */
  readonly json: boolean;
}

const SHAPE_PREFIX = 'shape:';

export const isGgufFile = (path: string): boolean => path.endsWith('.gguf');

function modelChoice(text: string): ModelChoice {
  if (text === 'starter') return { kind: 'starter' };
  if (text.startsWith(SHAPE_PREFIX)) {
    const name = text.slice(SHAPE_PREFIX.length);
    if (SHAPE_NAMES.includes(name)) return { kind: 'shape', name };
    throw new InvalidArgumentError(`There is no shape "${name}"; known are ${SHAPE_NAMES.join(', ')}.`);
  }
  const path = BUNDLED_MODELS.includes(text) ? bundledFolder(text) : fromCaller(text);
  if (existsSync(join(path, 'config.json')) || (isGgufFile(path) && existsSync(path)))
    return { kind: 'path', path };
  throw new InvalidArgumentError(
    `${text} is no folder with a config.json and no GGUF file. Give ${BUNDLED_MODELS.join(', ')}, ${SHAPE_PREFIX}${SHAPE_NAMES[0] ?? ''}, a folder in Hugging Face layout, or a GGUF file.`,
  );
}

function suites(text: string, before: readonly SuiteName[] | undefined): readonly SuiteName[] {
  const name = SUITE_NAMES.find((each) => each === text);
  if (name === undefined) {
    throw new InvalidArgumentError(`There is no suite "${text}"; the suites are ${SUITE_NAMES.join(', ')}.`);
  }
  return [...(before ?? []), name];
}

/** Reads names of peers, separated by commas. @throws InvalidArgumentError */
function peers(text: string): readonly PeerName[] {
  const known = `The peers are ${PEER_NAMES.join(', ')}.`;
  const names = text.split(',').map((word) => {
    const name = PEER_NAMES.find((each) => each === word.trim());
    if (name === undefined) throw new InvalidArgumentError(`There is no peer "${word.trim()}". ${known}`);
    return name;
  });
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new InvalidArgumentError(`It names ${twice} twice. ${known}`);
  return names;
}

interface Options extends Pick<BenchArguments, 'model' | 'repeats' | 'rollouts' | 'tokens'> {
  readonly suite?: readonly SuiteName[];
  readonly backend?: BackendName;
  readonly quick?: true;
  readonly without?: readonly PeerName[];
  readonly python?: string;
  readonly json?: true;
}

function line(): Command {
  return command(
    'npm run lab -- bench',
    'Times this project beside what could be used instead, in turns on the same machine: plain tfjs, jax-js, transformers.js and its own way on the CPU.',
    '--suite gemm --suite train --quick',
  )
    .addOption(
      new Option(
        '--suite <name>',
        `what to time: ${SUITE_NAMES.join(', ')}; may be repeated (all but lora by default)`,
      ).argParser(suites),
    )
    .addOption(
      new Option('--backend <name>', 'where to compute (GPU if there is an adapter)').choices([
        'webgpu',
        'wasm',
      ]),
    )
    .addOption(
      new Option(
        '--model <name>',
        `${BUNDLED_MODELS.join(', ')}, a folder, a GGUF file, or ${SHAPE_PREFIX}NAME for random weights`,
      )
        .argParser(modelChoice)
        .default({ kind: 'starter' }, 'starter'),
    )
    .option('--repeats <number>', 'timed repeats of each participant', wholeNumber(1), 5)
    .option('--rollouts <number>', 'sequences in a batch', wholeNumber(1), 64)
    .option(
      '--tokens <number>',
      'positions of a training sequence, new tokens of a rollout',
      wholeNumber(2),
      64,
    )
    .option('--quick', 'only the main sizes of each suite')
    .addOption(
      new Option(
        '--without <names>',
        `peers to leave out, separated by commas, of ${PEER_NAMES.join(', ')}`,
      ).argParser(peers),
    )
    .option('--python <path>', 'a Python with torch and trl, which become peers of train, lora and step')
    .option('--json', 'print a line of JSON for each row as it is measured; the text goes to standard error');
}

/** Reads the words after `npm run lab -- bench`. */
export function parseBenchArguments(words: readonly string[]): BenchArguments | Refusal {
  const parsed = parsedWords<Options>(line(), words);
  if ('exitCode' in parsed) return parsed;
  const { suite, backend, json, quick, without, python, ...rest } = parsed.options;
  return {
    suites: suite ?? DEFAULT_SUITES,
    backend: backend ?? null,
    python: python ?? null,
    json: json ?? false,
    quick: quick ?? false,
    without: without ?? [],
    ...rest,
  };
}
