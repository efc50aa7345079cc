/** The buttons of a run that waits because its first answers gave nothing to learn from. */
import type { ReactNode } from 'react';
import type { RunConfig } from '@rl-playground/run/settings';
import { train } from '../actions/actions.ts';
import { changeForm, useForm } from '../form/formStore.ts';
import { touchesLocked } from '../form/locks.ts';
import { canStart } from '../state/phases.ts';
import { useRun } from '../state/runStore.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { remedies } from './remedies.ts';

/** Begins the run with the changes, which meet the model first. */
function trainWith(settings: Partial<RunConfig>): void {
  changeForm((form) => ({ ...form, ...settings }));
  train();
}

export function WaysOut({ onTaken }: { readonly onTaken: () => void }): ReactNode {
  const report = useRun(({ snapshot }) => snapshot.preflight);
  const startable = useRun((state) => canStart(state.snapshot));
  const locked = useForm((state) => state.classroom.locked);
  const ways = report === null ? [] : remedies(report);
  const free = ways.filter(({ settings }) => !touchesLocked(Object.keys(settings), locked));
  const take = (act: () => void) => (): void => {
    onTaken();
    act();
  };
  return (
    <>
      {free.map(({ label, settings }) => (
        <ActionButton key={label} usable={startable} onClick={take(() => trainWith(settings))}>
          {label}
        </ActionButton>
      ))}
      <ActionButton variant="subtle" usable={startable} onClick={take(train)}>
        Train anyway
      </ActionButton>
    </>
  );
}
