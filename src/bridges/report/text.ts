/** Numbers and settings as a report writes them. */
import type { Interval } from '@rl-playground/base/intervals';
import { grouped } from '@rl-playground/base/text';
import {
  textOfValue,
  differingKeys,
  snakeName,
  type FieldKey,
  type RunConfig,
  linkQuery,
} from '@rl-playground/run/settings';

export const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

/** A share with its 95 % interval. */
export function shareText({
  share,
  interval,
}: {
  readonly share: number;
  readonly interval: Interval | null;
}): string {
  return interval === null
    ? percent(share)
    : `${percent(share)} (${percent(interval.low)} to ${percent(interval.high)})`;
}

/** A number with at most four significant digits. */
export function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return grouped(value).replace('-', '−');
  return String(Number(value.toPrecision(3))).replace('-', '−');
}

/** The text "1:02:05" for a number of seconds. */
export function clockText(seconds: number): string {
  const whole = Math.round(seconds);
  const pad = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}

/** A word of a shell's command line that means this text, whatever it holds. */
export function shellWord(text: string): string {
  return /^[\w.,:=+/@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The settings that the command always states, because the command line has defaults of its own for them. */
const TOLD: readonly (readonly [flag: string, key: FieldKey])[] = [
  ['--task', 'task'],
  ['--num-steps', 'numSteps'],
  ['--num-generators', 'numGenerators'],
  ['--eval-samples', 'evalSamples'],
  ['--seed', 'seed'],
];

/** The command that makes a run again. */
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

/** The link that opens the page with a run's settings. */
export function linkOf(config: RunConfig, page: string | null): string {
  return `${page ?? ''}?${linkQuery(config)}`;
}
