/** A share before and after training, in figures and on a scale. */
import type { ReactNode } from 'react';
import type { Interval } from '@rl-playground/base/intervals';
import type { Gain } from '@rl-playground/run/diagnosis';
import { percent, signed } from '../../ui/text/format.ts';
import classes from './evaluation.module.css';

export interface Share {
  readonly share: number;
  /** 95 %. */
  readonly interval: Interval | null;
}

interface Measurement extends Share {
  readonly when: string;
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
  readonly before: Measurement | null;
  readonly after: Measurement | null;
  readonly colour: string;
}

/** A 0-100% scale: hollow mark before, filled mark after, their intervals as whiskers. The text beside it says the same. */
function RangeTrack({ before, after, colour }: RangeTrackProps): ReactNode {
  return (
    <div className={classes.track} aria-hidden="true" style={{ color: colour }}>
      {before !== null && <Whisker interval={before.interval} />}
      {after !== null && <Whisker interval={after.interval} />}
      {before !== null && after !== null && (
        <span
          className={classes.bridge}
          style={{
            left: at(Math.min(before.share, after.share)),
            width: at(Math.abs(after.share - before.share)),
          }}
        />
      )}
      {before !== null && (
        <span className={`${classes.mark} ${classes.hollow}`} style={{ left: at(before.share) }} />
      )}
      {after !== null && <span className={classes.mark} style={{ left: at(after.share) }} />}
    </div>
  );
}

/** When the later of two evaluations was: step 0 is the border of warm-up and reinforcement. */
function whenLater(step: number): string {
  if (step > 0) return `step ${step}`;
  return step === 0 ? 'after the warm-up' : 'in the warm-up';
}

/** The difference in percentage points; where it was taken by problem, with its interval. */
function Difference({ gain, colour }: { readonly gain: Gain; readonly colour: string }): ReactNode {
  const { difference, interval } = gain;
  return (
    <span className={`number ${classes.delta}`} style={{ color: colour }}>
      {signed(difference * 100, 1)} points
      {interval !== null && (
        <span className={classes.half}>
          {' '}
          ({signed(interval.low * 100, 1)} to {signed(interval.high * 100, 1)})
        </span>
      )}
    </span>
  );
}

interface BeforeAfterProps {
  readonly label: string;
  readonly steps: { readonly before: number; readonly after: number | undefined };
  readonly colour: string;
  /** Null where it was not measured. */
  readonly before: Share | null;
  /** Undefined until there is a later evaluation. */
  readonly after: Share | null | undefined;
  /** By problem; without it the plain difference is shown. */
  readonly gain?: Gain | null | undefined;
}

/** One share before and after, with its difference and both on a 0-100% track. */
export function BeforeAfter({ label, steps, colour, before, after, gain }: BeforeAfterProps): ReactNode {
  const first = before && { ...before, when: steps.before <= 0 ? 'before' : `step ${steps.before}` };
  const last = after && steps.after !== undefined ? { ...after, when: whenLater(steps.after) } : null;
  const difference =
    gain ?? (first && last ? { difference: last.share - first.share, interval: null } : null);
  return (
    <div className={classes.row} data-testid={`result-${label}`}>
      <div className={classes.figures}>
        <span className={classes.label}>{label}</span>
        {first === null ? <span className="quiet">not measured before</span> : <Figures {...first} />}
        <span aria-hidden="true" className={classes.arrow}>
          →
        </span>
        {last === null ? (
          <span className="quiet">the later result follows</span>
        ) : (
          <>
            <Figures {...last} />
            {difference !== null && <Difference gain={difference} colour={colour} />}
          </>
        )}
      </div>
      <RangeTrack colour={colour} before={first} after={last} />
    </div>
  );
}
