import { Button, Popover } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { setValue } from '../actions/actions.ts';
import { loraAdvice, rateText, squareRootAdvice, type RateAdvice } from '../form/learningRateAdvice.ts';
import { useField } from '../form/useField.ts';
import { useForm } from '../form/formStore.ts';
import { useRun } from '../state/runStore.ts';
import classes from './controls.module.css';

/** A button that explains its rule and the learning rate that follows from it, before anything changes. */
function Rule({ name, advice }: { name: string; advice: RateAdvice }): ReactNode {
  const { locked } = useField('learningRate');
  const now = useForm((state) => state.form.learningRate);
  const [open, setOpen] = useState(false);
  const textId = useId();
  const { rate, why, sums } = advice;
  const same = rate === now;
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      width={300}
      position="bottom-start"
      withArrow
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button size="compact-xs" disabled={locked} onClick={() => setOpen(!open)}>
          {name}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-describedby={textId} className="stack wide quiet">
        <div id={textId} className="stack">
          <p>{why}</p>
          <p>{sums}</p>
          {rate !== null && same && <p>That is the current learning rate.</p>}
        </div>
        <div className={classes.buttons}>
          {rate !== null && !same && (
            <Button
              variant="filled"
              size="compact-xs"
              onClick={() => {
                setValue('learningRate', rate);
                setOpen(false);
              }}
            >
              Use {rateText(rate)} instead of {rateText(now)}
            </Button>
          )}
          <Button size="compact-xs" onClick={() => setOpen(false)}>
            {rate === null || same ? 'Close' : 'Keep'}
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Two rules of thumb for the learning rate. */
export function LearningRateRules(): ReactNode {
  const form = useForm((state) => state.form);
  const lora = useRun(useShallow(({ snapshot }) => loraAdvice(form, snapshot)));
  return (
    <div className="row" role="group" aria-label="Rules for the learning rate">
      <span className="quiet">Learning rate by</span>
      <Rule name="√batch rule" advice={squareRootAdvice(form)} />
      <Rule name="LoRA rule" advice={lora} />
    </div>
  );
}
