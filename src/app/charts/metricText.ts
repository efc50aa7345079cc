/** What a metric is, in the words of its definition. */
import { METRICS, type MetricKey } from '../../rl/metrics/index.ts';

export interface MetricText {
  readonly label: string;
  /** As logs call it. */
  readonly names: readonly string[];
  readonly formula: string;
}

export function metricTexts(keys: readonly MetricKey[]): MetricText[] {
  return keys.flatMap((key) => {
    const found = METRICS.find((metric) => metric.key === key);
    return found === undefined ? [] : [{ label: found.label, names: found.names, formula: found.formula }];
  });
}

/** The same for a screen reader. */
export function spokenText({ label, names, formula }: MetricText): string {
  return `${label}, logged as ${names.join(' and ')}: ${formula}`;
}
