import type { ReactNode } from 'react';
import type { MetricKey } from '../../rl/metrics/index.ts';
import { InfoMark } from '../ui/InfoMark.tsx';
import { metricTexts, spokenText, type MetricText } from './metricText.ts';
import classes from './charts.module.css';

interface MetricMarkProps {
  readonly metrics: readonly MetricKey[];
  /** What is drawn besides. */
  readonly more: readonly MetricText[];
}

/** The log's names and the formulas of the metrics of a chart, behind a mark. */
export function MetricMark({ metrics, more }: MetricMarkProps): ReactNode {
  const texts = [...metricTexts(metrics), ...more];
  return (
    <InfoMark label={texts.map(spokenText).join('. ')} width={320}>
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
