import type { ReactNode } from 'react';
import type { Interval } from './wilson.ts';
import classes from './evaluation.module.css';

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
export function RangeTrack({ before, after, colour }: RangeTrackProps): ReactNode {
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
