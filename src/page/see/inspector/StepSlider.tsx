import { useId, type ReactNode } from 'react';
import { count } from '../../ui/text/format.ts';
import classes from './inspector.module.css';

interface StepSliderProps {
  /** In order, not all of them need to be there. */
  readonly steps: readonly number[];
  readonly step: number;
  /** Whether it is the newest, and the next one takes its place. */
  readonly follows: boolean;
  /** Null for the newest, whichever it is. */
  readonly onStep: (step: number | null) => void;
}

/** Moves over the kept steps; at its end it follows the run. */
export function StepSlider({ steps, step, follows, onStep }: StepSliderProps): ReactNode {
  const id = useId();
  const last = steps.length - 1;
  const at = follows ? last : Math.max(0, steps.indexOf(step));
  return (
    <div className={classes.slider}>
      <label htmlFor={id}>
        Step <b className="number">{count(step)}</b>
        {follows && ', the newest'}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={Math.max(0, last)}
        step={1}
        value={at}
        aria-valuetext={`step ${step}${follows ? ', the newest' : ''}`}
        data-testid="inspector-step"
        onChange={({ currentTarget: { value } }) =>
          onStep(Number(value) === last ? null : (steps[Number(value)] ?? null))
        }
      />
      <span className="quiet">
        {count(steps.length)} kept, {count(steps[0])} to {count(steps[last])}
      </span>
    </div>
  );
}
