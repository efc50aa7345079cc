/** Numbers and settings as a report writes them. */
import { wilson95, type Interval } from '@rl-playground/base/intervals';
import { grouped } from '@rl-playground/base/text';
import {
  FIELDS,
  textOfValue,
  differingKeys,
  shellWord,
  snakeName,
  type FieldKey,
  type RunConfig,
  linkQuery,
} from '@rl-playground/run/settings';
import { markup, type Html } from './html.ts';

export const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

interface Share {
  readonly share: number;
  readonly interval: Interval | null;
}

export function shareText({ share, interval }: Share): string {
  if (interval === null) return percent(share);
  return `${percent(share)} (${percent(interval.low)} to ${percent(interval.high)})`;
}

/** A share of `n` with Wilson's interval. */
export const countedText = (share: number, n: number): string =>
  shareText({ share, interval: wilson95(share, n) });

export const settingName = (key: FieldKey): Html =>
  markup`${FIELDS.find((field) => field.key === key)?.label ?? key} <code>${key}</code>`;
export const settingValue = (config: RunConfig, key: FieldKey): Html =>
  markup`<code>${textOfValue(config[key])}</code>`;

/** A number with at most three significant digits, or a whole one with all of them. */
export function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return grouped(value).replace('-', '−');
  return String(Number(value.toPrecision(3))).replace('-', '−');
}

/** Settings that a command always names, because the command line has defaults of its own for them. */
const TOLD: readonly (readonly [flag: string, key: FieldKey])[] = [
  ['--task', 'task'],
  ['--num-steps', 'numSteps'],
  ['--num-generators', 'numGenerators'],
  ['--eval-samples', 'evalSamples'],
  ['--seed', 'seed'],
];

export function commandOf(config: RunConfig): string {
  const flags = [
    ...(config.preset === 'default' ? [] : ['--preset', config.preset]),
    ...TOLD.flatMap(([flag, key]) => [flag, textOfValue(config[key])]),
  ];
  const told = new Set<FieldKey>(['preset', ...TOLD.map(([, key]) => key)]);
  const words = differingKeys(config)
    .filter((key) => !told.has(key))
    .map((key) => `${snakeName(key)}=${textOfValue(config[key])}`);
  return ['npx rl-playground train', ...[...flags, ...words].map(shellWord)].join(' ');
}

export function linkOf(config: RunConfig, page: string | null): string {
  return `${page ?? ''}?${linkQuery(config)}`;
}
