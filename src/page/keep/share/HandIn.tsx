/** A run is saved as a file for a teacher. */
import { Group, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { LONGEST_LEARNER } from '@rl-playground/run/handIn';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { notToHandIn, saveHandIn } from './handInActions.ts';

export function HandIn(): ReactNode {
  const reason = useRun(({ snapshot }) => notToHandIn(snapshot));
  const [learner, setLearner] = useState('');
  return (
    <div className="stack wide" style={{ alignItems: 'flex-start' }} role="group" aria-label="Hand in a run">
      <h3 className="panel-title">Hand in a run</h3>
      <p className="quiet">
        This saves the finished run as one file, with its settings and every figure of every step. Send this
        file to your teacher, by mail or through your class’s platform: the page sends nothing.
      </p>
      <Group
        component="form"
        align="end"
        gap={12}
        onSubmit={(event) => {
          event.preventDefault();
          if (reason === null) saveHandIn(learner.trim());
        }}
      >
        <TextInput
          label="Your name, for the file"
          maxLength={LONGEST_LEARNER}
          value={learner}
          onChange={({ currentTarget }) => setLearner(currentTarget.value)}
        />
        <ActionButton type="submit" usable={reason === null} data-testid="hand-in">
          Hand in
        </ActionButton>
        {reason !== null && <p className="quiet">{reason}</p>}
      </Group>
    </div>
  );
}
