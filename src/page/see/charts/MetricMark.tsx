/** What the metrics of a chart are, in the words of their definitions. */
import type { ReactNode } from 'react';
import { METRICS, type MetricKey } from '@rl-playground/run/metrics';
import { InfoMark } from '../../ui/parts/InfoMark.tsx';
import type { MetricText } from './specs/spec.ts';
import classes from './charts.module.css';

interface MetricMarkProps {
  readonly metrics: readonly MetricKey[];
  /** What is drawn besides. */
  readonly more: readonly MetricText[];
}

/** The log's names and the formulas of the metrics of a chart, behind a mark. */
export function MetricMark({ metrics, more }: MetricMarkProps): ReactNode {
  const texts: MetricText[] = [
    ...metrics.flatMap((key) => METRICS.find((metric) => metric.key === key) ?? []),
    ...more,
  ];
  const spoken = texts.map(
    ({ label, names, formula }) => `${label}, logged as ${names.join(' and ')}: ${formula}`,
  );
  return (
    <InfoMark label={spoken.join('. ')} width={320}>
      <dl className={classes.metrics}>
        {texts.map(({ label, names, formula }) => (
          <div key={names[0]}>
            <dt>{label}</dt>
            <dd>
              <code>{names.join(', ')}</code>
            </dd>
            <dd>{formula}</dd>
          </div>
        ))}
      </dl>
    </InfoMark>
  );
}
