import type { ReactNode } from 'react';
import { InfoMark } from '../ui/InfoMark.tsx';
import { spokenText, type MetricText } from './metricText.ts';
import classes from './charts.module.css';

/** The log's names and the formulas of the metrics of a chart, behind a mark. */
export function MetricMark({ texts }: { texts: readonly MetricText[] }): ReactNode {
  if (texts.length === 0) return null;
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
