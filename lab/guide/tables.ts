/** What the pages of docs/guide take from the code: tables of settings, tasks, metrics and memory, each by its name in a page. */
import { FIELDS, textOfValue, type FieldDescription } from '../../src/config/describe.ts';
import { GROUPS, type Group } from '../../src/config/fields.ts';
import { LOSSES, parseModelConfig, parameterCount } from '@rl-playground/engine/parts';
import { snakeName } from '../../src/config/names.ts';
import { RUN_FIELDS } from '../../src/config/schema.ts';
import { defaultConfig } from '../../src/config/presets.ts';
import { bytesText, grouped } from '@rl-playground/base/text';
import { METRICS } from '../../src/rl/metrics/index.ts';
import { largeModelSettings } from '../../src/run/models/largeModels.ts';
import { SHAPES } from '../../src/run/models/shapes.ts';
import { UNKNOWN_LIMITS } from '../../src/run/plan/limits.ts';
import { planRun } from '../../src/run/plan/plan.ts';
import type { PlannedModel } from '../../src/run/plan/types.ts';
import { TASKS, type TaskField } from '@rl-playground/tasks/parts';

type Row = readonly string[];

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function table(heads: Row, rows: readonly Row[]): string {
  const line = (cells: Row): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

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

/** The settings of a group, as the page's form has them. */
function optionsOf(group: Group): string {
  return table(
    ['setting', 'label', 'default', 'values', 'what it does'],
    FIELDS.filter((field) => field.group === group).map((field) => [
      code(snakeName(field.key)),
      field.label,
      defaultOf(field),
      valuesOf(field),
      field.help,
    ]),
  );
}

function taskValues(field: TaskField): string {
  switch (field.kind) {
    case 'number':
      return `${field.whole ? 'whole, ' : ''}${field.min} to ${field.max}`;
    case 'flag':
      return '`true`, `false`';
    case 'choice':
    case 'subset':
      return Object.keys(field.choices).map(code).join(', ');
    case 'weights':
      return `weights of ${field.names.join(', ')}`;
  }
}

const tasks = (): string =>
  table(
    ['task', 'asks', 'from', 'begins with', 'what to expect'],
    TASKS.map(({ name, summary, source, starter }) => [
      code(name),
      summary,
      source,
      starter === null ? 'a model of the Hub' : code(defaultConfig(name).model),
      starter?.expect ?? '',
    ]),
  );

const taskOptions = (): string =>
  table(
    ['task', 'setting', 'label', 'default', 'values'],
    TASKS.flatMap(({ name, fields }) =>
      Object.entries(fields).map(([key, field]) => [
        code(name),
        code(key),
        field.label,
        code(JSON.stringify(field.default)),
        taskValues(field),
      ]),
    ),
  );

/** In the words of the page; their formulas stand in docs/losses.md. */
const losses = (): string =>
  table(
    ['loss', 'what it does', 'from'],
    Object.entries(LOSSES).map(([name, { sentence, source }]) => [code(name), sentence, source]),
  );

/** Which metrics there are; their formulas stand in docs/metrics.md. */
const metrics = (): string =>
  table(
    ['metric', 'in the log', 'unit'],
    METRICS.map(({ label, names, unit }) => [label, names.map(code).join(', '), unit]),
  );

/** A published shape as its usual files have it: 16 bit, prompts of a hundred tokens. */
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

/** By the name that a page writes between `<!-- table: NAME -->` and `<!-- end -->`. */
export const TABLES: Readonly<Record<string, () => string>> = {
  losses,
  tasks,
  'task options': taskOptions,
  metrics,
  memory,
  ...Object.fromEntries(GROUPS.map((group) => [`options ${group}`, () => optionsOf(group)])),
};
