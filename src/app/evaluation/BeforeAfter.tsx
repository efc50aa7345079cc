/** A share before and after training, in figures and on a scale. */
import type { ReactNode } from 'react';
import { wilson95, type Interval } from '../../base/intervals.ts';
import type { EvalResult } from '../../rl/loop/evaluate.ts';
import { percent, signed } from '../format/format.ts';
import classes from './evaluation.module.css';

interface Measurement {
  readonly when: string;
  readonly share: number;
  readonly interval: Interval | null;
}

function Figures({ when, share, interval }: Measurement): ReactNode {
  const range =
    interval === null ? undefined : `95% interval ${percent(interval.low)} to ${percent(interval.high)}`;
  return (
    <span className={classes.measured} title={range}>
      <span className={classes.when}>{when}</span>
      <span className={`number ${classes.share}`}>{percent(share)}</span>
      {interval !== null && (
        <span className={`number ${classes.half}`}>±{(interval.half * 100).toFixed(1)}</span>
      )}
    </span>
  );
}

const at = (share: number): string => `${share * 100}%`;

function Whisker({ interval }: { interval: Interval | null }): ReactNode {
  if (interval === null) return null;
  return (
    <span
      className={classes.whisker}
      style={{ left: at(interval.low), width: at(interval.high - interval.low) }}
    />
  );
}

interface RangeTrackProps {
  readonly before: Measurement;
  readonly after: Measurement | null;
  readonly colour: string;
}

/** A 0-100% scale: hollow mark before, filled mark after, their intervals as whiskers. The text beside it says the same. */
function RangeTrack({ before, after, colour }: RangeTrackProps): ReactNode {
  return (
    <div className={classes.track} aria-hidden="true" style={{ color: colour }}>
      <Whisker interval={before.interval} />
      {after !== null && (
        <>
          <Whisker interval={after.interval} />
          <span
            className={classes.bridge}
            style={{
              left: at(Math.min(before.share, after.share)),
              width: at(Math.abs(after.share - before.share)),
            }}
          />
        </>
      )}
      <span className={`${classes.mark} ${classes.hollow}`} style={{ left: at(before.share) }} />
      {after !== null && <span className={classes.mark} style={{ left: at(after.share) }} />}
    </div>
  );
}

/** When the later of two evaluations was: step 0 is the border of warm-up and reinforcement. */
function whenLater(step: number): string {
  if (step > 0) return `step ${step}`;
  return step === 0 ? 'after the warm-up' : 'in the warm-up';
}

interface BeforeAfterProps {
  readonly label: string;
  readonly metric: 'accuracy' | 'format';
  readonly before: EvalResult;
  readonly after: EvalResult | undefined;
}

/** One share before and after, with its difference in percentage points and both on a 0-100% track. */
export function BeforeAfter({ label, metric, before, after }: BeforeAfterProps): ReactNode {
  const measured = (result: EvalResult, when: string): Measurement => {
    const share = result[metric];
    return { when, share, interval: wilson95(share, result.n) };
  };
  const colour = `var(--series-${metric})`;
  const first = measured(before, before.step <= 0 ? 'before' : `step ${before.step}`);
  const last = after === undefined ? null : measured(after, whenLater(after.step));
  return (
    <div className={classes.row}>
      <div className={classes.figures}>
        <span className={classes.label}>{label}</span>
        <Figures {...first} />
        <span aria-hidden="true" className={classes.arrow}>
          →
        </span>
        {last === null ? (
          <span className="quiet">the later result follows</span>
        ) : (
          <>
            <Figures {...last} />
            <span className={`number ${classes.delta}`} style={{ color: colour }}>
              {signed((last.share - first.share) * 100, 1)} points
            </span>
          </>
        )}
      </div>
      <RangeTrack colour={colour} before={first} after={last} />
    </div>
  );
}
