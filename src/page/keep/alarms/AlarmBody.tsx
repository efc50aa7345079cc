/** The text of an alarm, and a button that does what helps. */
import { useState, type ReactNode } from 'react';
import type { Alarm } from '@rl-playground/run/diagnosis';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { changesText } from '../kept/changes.ts';
import { changesAfter, rescue } from './alarmActions.ts';

export function AlarmBody({ alarm }: { readonly alarm: Alarm }): ReactNode {
  const config = useRun(({ snapshot }) => snapshot.config);
  const loading = useRun(({ snapshot }) => snapshot.phase === 'loading');
  const locked = useForm((state) => state.classroom.locked);
  const run = useRun(({ snapshot }) => snapshot.run);
  /** The run that is being left for another one. */
  const [left, setLeft] = useState<string | null>(null);
  const { diagnosis, others, since } = alarm;
  const changes = config && changesAfter(config, alarm, locked);
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
      {config !== null && changes !== null && Object.keys(changes).length > 0 && (
        <div className="row">
          <ActionButton
            usable={!loading && (left === null || left !== run)}
            title={`Back to the last step whose answers were sound, and on from there with ${changesText(config, { ...config, ...changes })}`}
            onClick={() => {
              setLeft(run);
              void rescue(alarm).finally(() => setLeft(null));
            }}
          >
            Go back and apply this
          </ActionButton>
        </div>
      )}
    </div>
  );
}
