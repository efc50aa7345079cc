/** The command line of `npm run train`, checked against the same schema as the page's form. */
import { Command, CommanderError, Option } from 'commander';
import { FIELDS, isFieldKey, parseConfig, unknownKey, valueFromText } from '../src/config/describe.ts';
import { PRESETS, defaultConfig } from '../src/config/presets.ts';
import type { FieldKey } from '../src/config/runFields.ts';
import type { RunConfig } from '../src/config/schema.ts';
import { MIXTURE, TASK_NAMES } from '../src/tasks/index.ts';

export interface TrainArguments {
  readonly config: RunConfig;
  /** null lets the page choose. */
  readonly backend: 'webgpu' | 'wasm' | null;
  readonly verbose: boolean;
  /** File for the results, or null. */
  readonly json: string | null;
  /** Folder for the run directory, or null. */
  readonly out: string | null;
}

/** What to print and exit with instead of training. */
export interface Refusal {
  readonly text: string;
  readonly exitCode: number;
}

interface Options {
  readonly task: string;
  readonly preset: keyof typeof PRESETS;
  readonly numSteps: string;
  readonly numGenerators: string;
  readonly evalSamples: string;
  readonly seed: string;
  readonly model?: string;
  readonly backend?: 'webgpu' | 'wasm';
  readonly set: readonly string[];
  readonly verbose?: true;
  readonly json?: string;
  readonly out?: string;
}

/** Options that stand for one setting each. */
const SETTING_OPTIONS: readonly (readonly [flag: string, key: FieldKey & keyof Options])[] = [
  ['--num-steps', 'numSteps'],
  ['--num-generators', 'numGenerators'],
  ['--eval-samples', 'evalSamples'],
  ['--seed', 'seed'],
  ['--model', 'model'],
];

function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

function command(): Command {
  const settings = FIELDS.map(({ key, label }) => `  ${key}: ${label}`).join('\n');
  return new Command('npm run train --')
    .description('Trains in a headless browser on the built page, exactly as clicking Train does.')
    .addOption(
      new Option('--task <name>', 'what to learn').choices([...TASK_NAMES, MIXTURE]).default('sum_digits'),
    )
    .addOption(
      new Option('--preset <name>', 'settings to start from')
        .choices(Object.keys(PRESETS))
        .default('default'),
    )
    .option('--num-steps <number>', 'training steps', '20')
    .option('--num-generators <number>', 'generators that sample answers', '2')
    .option('--eval-samples <number>', 'held-out problems before and after training', '20')
    .option('--seed <number>', 'names the whole run: problems, samples, everything', '0')
    .option('--model <name>', 'model to train (the bundled starter model by default)')
    .addOption(
      new Option('--backend <name>', 'where to compute (GPU if there is one)').choices(['webgpu', 'wasm']),
    )
    .addOption(
      new Option('--set <setting=value>', 'any other setting of the list below; may be repeated')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--verbose', 'print sample answers')
    .option('--json <file>', 'write results and learning curve as JSON')
    .option('--out <folder>', 'write the run directory: model, optimizer, config, metrics, evaluations')
    .addHelpText('after', `\nSettings for --set:\n${settings}`)
    .exitOverride();
}

/** `setting=value` pairs as config values; errors name what was found. */
function extraSettings(pairs: readonly string[]): { values: Record<string, unknown>; errors: string[] } {
  const values: Record<string, unknown> = {};
  const errors: string[] = [];
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const key = at < 0 ? pair : pair.slice(0, at);
    if (at < 0) errors.push(`--set ${pair}: write it as setting=value.`);
    else if (isFieldKey(key)) values[key] = valueFromText(key, pair.slice(at + 1));
    else errors.push(`--set ${unknownKey(key)}`);
  }
  return { values, errors };
}

/** A config error with the option's name in place of the setting's. */
function withOptionName(error: string): string {
  const option = SETTING_OPTIONS.find(([, key]) => error.startsWith(`${key}:`));
  return option === undefined ? error : error.replace(`${option[1]}:`, `${option[0]}:`);
}

/** Reads the words after `npm run train --`. */
export function parseTrainArguments(words: readonly string[]): TrainArguments | Refusal {
  let text = '';
  const write = (part: string) => void (text += part);
  const program = command().configureOutput({ writeOut: write, writeErr: write });
  let options: Options;
  try {
    options = program.parse(words, { from: 'user' }).opts<Options>();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { text: text.trimEnd(), exitCode: error.exitCode === 0 ? 0 : 2 };
  }
  const { values, errors } = extraSettings(options.set);
  const given = SETTING_OPTIONS.flatMap(([, key]) => {
    const word = options[key];
    return word === undefined ? [] : [[key, valueFromText(key, word)] as const];
  });
  const chosen =
    program.getOptionValueSource('task') === 'default' ? PRESETS[options.preset].task : undefined;
  const parsed = parseConfig({
    ...defaultConfig(chosen ?? options.task, options.preset),
    ...Object.fromEntries(given),
    ...values,
  });
  const refused = [...errors, ...(parsed.ok ? [] : parsed.errors.map(withOptionName))];
  if (!parsed.ok || refused.length > 0) return { text: refused.join('\n'), exitCode: 2 };
  return {
    config: parsed.config,
    backend: options.backend ?? null,
    verbose: options.verbose ?? false,
    json: options.json ?? null,
    out: options.out ?? null,
  };
}
