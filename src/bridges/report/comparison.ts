/** Compares arms: their results, their different settings, and which differences can be told from chance. */
import { changedBetween, FIELD_KEYS } from '@rl-playground/run/settings';
import { mean } from '@rl-playground/base/statistics';
import {
  differenceBetween,
  isDistinguishable,
  outcomesOf,
  OVER,
  seedInterval95,
  shareOf,
} from '@rl-playground/run/diagnosis';
import { markup, table, type Html } from './html.ts';
import type { ReportArm, ReportInput } from './input.ts';
import { percent, settingName, settingValue } from './text.ts';

function cameTo(arm: ReportArm): string {
  const shares = outcomesOf(arm.runs).map(shareOf);
  if (shares.length === 0) return 'not evaluated';
  const interval = seedInterval95(shares);
  return `${percent(mean(shares))}${interval === null ? '' : ` ± ${(100 * interval.half).toFixed(1)}`}`;
}

const points = (share: number): string =>
  `${share > 0 ? '+' : share < 0 ? '−' : ''}${Math.abs(100 * share).toFixed(1)}`;

function against(baseline: ReportArm, arm: ReportArm): string {
  const found = differenceBetween(outcomesOf(baseline.runs), outcomesOf(arm.runs));
  if (found === null || found.interval === null) return '–';
  const { difference, interval, over } = found;
  const verdict = isDistinguishable(found) ? (difference > 0 ? 'better' : 'worse') : 'not distinguishable';
  return `${verdict}: ${points(difference)} points (${points(interval.low)} to ${points(interval.high)}, 95%, ${OVER[over]})`;
}

/** A line for each setting that the arms do not share. */
function differingRows(arms: readonly ReportArm[]): readonly Html[][] {
  const [first, ...others] = arms.map(({ runs }) => runs[0].config);
  if (first === undefined) return [];
  const changed = new Set(others.flatMap((config) => changedBetween(first, config)));
  return FIELD_KEYS.filter((key) => key !== 'seed' && changed.has(key)).map((key) => [
    settingName(key),
    ...[first, ...others].map((config) => settingValue(config, key)),
  ]);
}

/** The arms side by side; nothing for a single one. */
export function comparisonSection({ arms }: ReportInput): Html | null {
  const [baseline, ...others] = arms;
  if (others.length === 0) return null;
  const rows = [
    ['right, held-out, likeliest answers', ...arms.map(cameTo)],
    [
      `against ${baseline.name}`,
      markup`<span class="quiet">baseline</span>`,
      ...others.map((arm) => against(baseline, arm)),
    ],
    ['seed', ...arms.map(({ runs }) => runs.map(({ config }) => config.seed).join(', '))],
    ...differingRows(arms),
  ];
  return markup`<section>
    <h2>Side by side</h2>
    ${table(['Run', ...arms.map(({ name }) => name)], rows)}
  </section>`;
}
