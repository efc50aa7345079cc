/** The tables that documents take from the code: settings, bundled models with their tasks, and memory, each by its name in a page. */
import {
  FIELDS,
  textOfValue,
  type FieldDescription,
  snakeName,
  RUN_FIELDS,
  defaultConfig,
} from '@rl-playground/run/settings';
import { parseModelConfig, parameterCount } from '@rl-playground/engine/parts';
import { bytesText, grouped } from '@rl-playground/base/text';
import { largeModelSettings, SHAPES } from '@rl-playground/run/models';
import { UNKNOWN_LIMITS, planRun, type PlannedModel } from '@rl-playground/run/plan';
import { tableOf, tableRow } from '../markdown.ts';
import { TASKS } from '@rl-playground/tasks/parts';

type Row = readonly string[];

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const table = (heads: Row, rows: readonly Row[]): string =>
  tableOf(
    heads,
    rows.map((cells) => tableRow(cells.map(cell))),
  );

const code = (text: string): string => `\`${text}\``;

function valuesOf(field: FieldDescription): string {
  switch (field.type) {
    case 'number':
      return `${field.step === 1 ? 'whole, ' : ''}${field.min} to ${field.max}`;
    case 'choice':
      return field.choices.map(({ value }) => code(value)).join(', ');
    case 'boolean':
      return '`true`, `false`';
    case 'text':
      return 'text';
    case 'structure':
      return 'JSON';
  }
}

function defaultOf({ key }: FieldDescription): string {
  const text = textOfValue(RUN_FIELDS[key].info.default);
  return text === '' ? '(empty)' : code(text);
}

/** Every setting, in the order of the page's form. The form and `--help` explain them. */
const settings = (): string =>
  table(
    ['setting', 'on the page', 'default', 'values'],
    FIELDS.map((field) => [code(snakeName(field.key)), field.label, defaultOf(field), valuesOf(field)]),
  );

/** Each model that comes with the page, or is made in it, with the tasks that begin with it. */
function starters(): string {
  const byModel = new Map<string, string[]>();
  for (const { name } of TASKS.filter(({ starter }) => starter !== null)) {
    const { model } = defaultConfig(name);
    byModel.set(model, [...(byModel.get(model) ?? []), name]);
  }
  return table(
    ['model', 'tasks'],
    [...byModel].map(([model, names]) => [code(model), names.map(code).join(', ')]),
  );
}

/** The length of prompts, in tokens, for published shapes in 16 bit. */
const PROMPT = 100;

function memoryRow(name: string, json: object): Row {
  const config = parseModelConfig(json);
  const model: PlannedModel = { config, storedType: 'BF16', promptTokens: PROMPT };
  const usual = defaultConfig('gsm8k');
  const peak = (changes: object): string => {
    const settings = { ...usual, ...largeModelSettings(parameterCount(config), usual), ...changes };
    const { gpu, host } = planRun({
      config: settings,
      model,
      limits: UNKNOWN_LIMITS,
      backend: 'webgpu',
      rates: null,
    }).peak;
    return `${bytesText(gpu)}, ${bytesText(host)}`;
  };
  return [
    name,
    grouped(parameterCount(config)),
    peak({}),
    peak({ baseFormat: 'q8' }),
    peak({ baseFormat: 'q4' }),
  ];
}

const memory = (): string =>
  table(
    ['model', 'parameters', 'as its files have it: GPU, host', '8 bit', '4 bit'],
    Object.entries(SHAPES).map(([name, json]) => memoryRow(name, json)),
  );

/** The tables by the name that a page writes between `<!-- table: NAME -->` and `<!-- end -->`. */
export const TABLES: Readonly<Record<string, () => string>> = { settings, starters, memory };
