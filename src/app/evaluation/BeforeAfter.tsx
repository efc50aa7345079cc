import type { ReactNode } from 'react';
import type { EvalResult } from '../../rl/loop/evaluate.ts';
import { percent, signed } from '../format/format.ts';
import { wilson95, type Interval } from './wilson.ts';
import classes from './evaluation.module.css';

interface BeforeAfterProps {
  readonly label: string;
  readonly before: EvalResult;
  readonly after: EvalResult | undefined;
  readonly share: (result: EvalResult) => number;
  readonly colour: string;
}

function Measured({ when, result, share }: { when: string; result: EvalResult; share: number }): ReactNode {
  const interval = wilson95(share, result.n);
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

interface Mark {
  readonly share: number;
  readonly interval: Interval | null;
}

interface RangeTrackProps {
  readonly before: Mark;
  readonly after: Mark | null;
  readonly colour: string;
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

/** One share before and after, with its difference in percentage points and both on a 0-100% track. */
export function BeforeAfter({ label, before, after, share, colour }: BeforeAfterProps): ReactNode {
  const delta = after === undefined ? null : (share(after) - share(before)) * 100;
  return (
    <div className={classes.row}>
      <div className={classes.figures}>
        <span className={classes.label}>{label}</span>
        <Measured
          when={before.step <= 0 ? 'before' : `step ${before.step}`}
          result={before}
          share={share(before)}
        />
        <span aria-hidden="true" className={classes.arrow}>
          →
        </span>
        {after === undefined ? (
          <span className="quiet">the later result follows</span>
        ) : (
          <>
            <Measured
              when={
                after.step === 0
                  ? 'after the warm-up'
                  : after.step < 0
                    ? 'in the warm-up'
                    : `step ${after.step}`
              }
              result={after}
              share={share(after)}
            />
            <span className={`number ${classes.delta}`} style={{ color: colour }}>
              {signed(delta, 1)} points
            </span>
          </>
        )}
      </div>
      <RangeTrack
        colour={colour}
        before={{ share: share(before), interval: wilson95(share(before), before.n) }}
        after={
          after === undefined ? null : { share: share(after), interval: wilson95(share(after), after.n) }
        }
      />
    </div>
  );
}
