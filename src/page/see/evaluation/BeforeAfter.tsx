/** A share before and after training, in figures and on a scale. */
import type { ReactNode } from 'react';
import type { Interval } from '@rl-playground/base/intervals';
import type { Gain } from '@rl-playground/run/diagnosis';
import { percent, signed } from '../../ui/text/format.ts';
import classes from './evaluation.module.css';

export interface Share {
  readonly share: number;
  readonly interval: Interval | null;
}

type Measurement = Share & { readonly when: string };

function Figures({ when, share, interval }: Measurement): ReactNode {
  const range =
    interval === null ? undefined : `95% interval ${percent(interval.low)} to ${percent(interval.high)}`;
  return (
    <span className={classes.measured} title={range}>
      <span className={classes.small}>{when}</span>
      <span className={`number ${classes.share}`}>{percent(share)}</span>
      {interval !== null && (
        <span className={`number ${classes.small}`}>±{(interval.half * 100).toFixed(1)}</span>
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
  readonly before: Share | null;
  readonly after: Share | null;
  readonly colour: string;
}

/** A scale from 0 to 100%: a hollow mark before, a filled mark after, and their intervals. The text beside it says the same. */
function RangeTrack({ before, after, colour }: RangeTrackProps): ReactNode {
  return (
    <div className={classes.track} aria-hidden="true" style={{ color: colour }}>
      {before !== null && <Whisker interval={before.interval} />}
      {after !== null && <Whisker interval={after.interval} />}
      {before !== null && after !== null && (
        <span
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

/** The time of the later evaluation. Reinforcement begins at step 0, after the warm-up. */
function whenLater(step: number): string {
  if (step > 0) return `step ${step}`;
  return step === 0 ? 'after the warm-up' : 'in the warm-up';
}

/** The difference in percentage points, with its interval where it was computed by problem. */
function Difference({ gain, colour }: { readonly gain: Gain; readonly colour: string }): ReactNode {
  const { difference, interval } = gain;
  return (
    <span className={`number ${classes.delta}`} style={{ color: colour }}>
      {signed(difference * 100, 1)} points
      {interval !== null && (
        <span className={classes.small}>
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
  /** The share before; null if it was not measured. */
  readonly before: Share | null;
  readonly after: Share | null | undefined;
  /** The difference by problem. Without it the plain difference is shown. */
  readonly gain?: Gain | null | undefined;
}

/** One share before and after, with its difference, and both on a scale. */
export function BeforeAfter({ label, steps, colour, before, after, gain }: BeforeAfterProps): ReactNode {
  const first = before && { ...before, when: steps.before <= 0 ? 'before' : `step ${steps.before}` };
  const last = after && steps.after !== undefined ? { ...after, when: whenLater(steps.after) } : null;
  const difference =
    gain ?? (first && last ? { difference: last.share - first.share, interval: null } : null);
  return (
    <div className={classes.row} data-testid={`result-${label}`}>
      <div className={`row ${classes.figures}`}>
        <span className={classes.label}>{label}</span>
        {first === null ? <span className="quiet">not measured before</span> : <Figures {...first} />}
        <span aria-hidden="true" className="quiet">
          →
        </span>
        {last === null ? (
          <span className="quiet">no later result yet</span>
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
