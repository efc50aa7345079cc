/** The text of an alarm, and buttons for what helps. */
import { useState, type ReactNode } from 'react';
import type { Alarm } from '@rl-playground/run/diagnosis';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { changesText } from '../kept/changes.ts';
import { halveRate, rollBack, rolledBackChanges } from './alarmActions.ts';

export function AlarmBody({ alarm }: { readonly alarm: Alarm }): ReactNode {
  const config = useRun(({ snapshot }) => snapshot.config);
  const kept = useRun(({ snapshot }) => snapshot.run !== null);
  const loading = useRun(({ snapshot }) => snapshot.phase === 'loading');
  const locked = useForm((state) => state.classroom.locked);
  const [busy, setBusy] = useState(false);
  const { diagnosis, others, since } = alarm;
  const changes = config && rolledBackChanges(config, alarm, locked);
  const act = (work: () => Promise<void>): void => {
    setBusy(true);
    void work().finally(() => setBusy(false));
  };
  return (
    <div className="stack close" data-testid="alarm" data-diagnosis={diagnosis.id} data-since={since}>
      <p>
        <b>Seen at step {since}:</b> <Glossed text={diagnosis.seen} />
      </p>
      <p>
        <b>Why:</b> <Glossed text={diagnosis.cause} />
      </p>
      <p>
        <b>What helps:</b> <Glossed text={diagnosis.cure.text} />
      </p>
      {others.length > 0 && (
        <p className="quiet">
          The numbers also fit: {others.map(({ title }) => title.toLowerCase()).join('; ')}.
        </p>
      )}
      {kept && config !== null && changes !== null && (
        <div className="row">
          {Object.keys(changes).length > 0 && (
            <ActionButton
              usable={!busy && !loading}
              title={`A new run from the best checkpoint that is kept, with ${changesText(config, { ...config, ...changes })}`}
              onClick={() => act(() => rollBack(alarm))}
            >
              Roll back to best
            </ActionButton>
          )}
          {!locked.has('learningRate') && (
            <ActionButton
              usable={!busy && !loading}
              title="A new run from here, with half the learning rate"
              onClick={() => act(halveRate)}
            >
              Halve the learning rate
            </ActionButton>
          )}
        </div>
      )}
    </div>
  );
}
