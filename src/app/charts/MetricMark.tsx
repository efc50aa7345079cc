import type { ReactNode } from 'react';
import type { MetricKey } from '../../rl/metrics/index.ts';
import { InfoMark } from '../ui/InfoMark.tsx';
import { metricTexts, spokenText } from './metricText.ts';
import classes from './charts.module.css';

/** The log's names and the formulas of the metrics of a chart, behind a mark. */
export function MetricMark({ metrics }: { metrics: readonly MetricKey[] }): ReactNode {
  const texts = metricTexts(metrics);
  if (texts.length === 0) return null;
  return (
    <InfoMark label={texts.map(spokenText).join('. ')} width={320}>
      <dl className={classes.metrics}>
        {texts.map(({ key, label, names, formula }) => (
          <div key={key}>
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
