/** Compares arms: their results, their different settings, and which differences can be told from chance. */
import { changedBetween, FIELD_KEYS } from '@rl-playground/run/settings';
import {
  differenceBetween,
  gainText,
  isDistinguishable,
  NO_VERDICT,
  outcomesOf,
  OVER,
  resultText,
} from '@rl-playground/run/diagnosis';
import { markup, table, type Html } from './html.ts';
import type { ReportArm, ReportInput } from './input.ts';
import { settingName, settingValue } from './text.ts';

function against(baseline: ReportArm, arm: ReportArm): string {
  const found = differenceBetween(outcomesOf(baseline.runs), outcomesOf(arm.runs));
  if (found === null || found.interval === null) return NO_VERDICT;
  const { difference, over } = found;
  const verdict = isDistinguishable(found) ? (difference > 0 ? 'better' : 'worse') : 'not distinguishable';
  return `${verdict}: ${gainText(found)}; 95% interval ${OVER[over]}`;
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
    ['accuracy on held-out problems', ...arms.map(({ runs }) => resultText(runs))],
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
