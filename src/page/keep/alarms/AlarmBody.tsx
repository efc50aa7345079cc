/** An alarm in words, and the button that does what helps. */
import { useState, type ReactNode } from 'react';
import type { Alarm } from '@rl-playground/run/diagnosis';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { changesText } from '../kept/changes.ts';
import { changesAfter, rescue } from './alarmActions.ts';

interface OfAlarm {
  readonly alarm: Alarm;
}

/** Goes back to the last sound state, and on from there with what helps. */
export function AlarmButton({ alarm }: OfAlarm): ReactNode {
  const config = useRun(({ snapshot }) => snapshot.config);
  const loading = useRun(({ snapshot }) => snapshot.phase === 'loading');
  const locked = useForm((state) => state.classroom.locked);
  const run = useRun(({ snapshot }) => snapshot.run);
  /** The run that is being left for another one. */
  const [left, setLeft] = useState<string | null>(null);
  const changes = config && changesAfter(config, alarm, locked);
  if (config === null || changes === null || Object.keys(changes).length === 0) return null;
  return (
    <ActionButton
      usable={!loading && (left === null || left !== run)}
      title={`Goes back to the last step with sound answers, and continues with ${changesText(config, { ...config, ...changes })}`}
      onClick={() => {
        setLeft(run);
        void rescue(alarm).finally(() => setLeft(null));
      }}
    >
      Go back and apply this
    </ActionButton>
  );
}

export function AlarmBody({ alarm: { diagnosis, others, since } }: OfAlarm): ReactNode {
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
    </div>
  );
}
