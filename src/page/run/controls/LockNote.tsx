/** The reason why settings can't be changed at the moment. */
import type { ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { FIELDS } from '@rl-playground/run/settings';
import { LockIcon } from '../../ui/parts/icons.tsx';
import { useForm } from '../form/formStore.ts';
import { useLock } from '../form/useField.ts';
import classes from './controls.module.css';

const BY_RUN = {
  all: 'Settings are locked during training. Pause to change steps, generators or the evaluation interval.',
  most: 'This run uses these settings. Steps, generators and the evaluation interval can change; to change others, start a new run.',
} as const;

/** A note within the settings. A run's lock is left to the mark where there is room for one: a note that comes with a run moves the settings. */
export function LockNote({ withMark }: { readonly withMark: boolean }): ReactNode {
  const lock = useLock();
  const kept = useForm((state) => state.classroom.locked.size);
  const byRun = lock === 'none' ? null : BY_RUN[lock === 'all' ? 'all' : 'most'];
  const byLink =
    kept === 0
      ? null
      : `The link that opened this page locks ${kept === FIELDS.length ? 'all settings' : plural(kept, 'setting')}.`;
  const text = (withMark ? null : byRun) ?? byLink;
  return (
    text && (
      <p className={`note ${classes.lock}`}>
        <LockIcon />
        <span>{text}</span>
      </p>
    )
  );
}

/** A mark beside the name of the settings, with the reason as its hint. */
export function LockMark(): ReactNode {
  const lock = useLock();
  if (lock === 'none') return null;
  const text = BY_RUN[lock === 'all' ? 'all' : 'most'];
  return (
    <span className="row quiet" title={text}>
      <LockIcon /> {lock === 'all' ? 'Locked during training' : 'Locked for this run'}
      <span className="visually-hidden">{text}</span>
    </span>
  );
}
