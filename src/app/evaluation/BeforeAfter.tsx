import type { ReactNode } from 'react';
import type { EvalResult } from '../../rl/loop/evaluate.ts';
import { percent, signed } from '../format/format.ts';
import { wilson95 } from './wilson.ts';
import { RangeTrack } from './RangeTrack.tsx';
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
