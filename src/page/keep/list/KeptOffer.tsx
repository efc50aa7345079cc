/** The offer to continue the newest kept run, shown when the page opens. */
import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { nameOf } from '../kept/labels.ts';
import { showRuns } from '../../ui/open/places.ts';
import { setOpen } from '../../ui/open/openStore.ts';
import { present, useKept } from '../kept/keptStore.ts';
import { describeKept, OpenButton } from './keptRow.tsx';

export function KeptOffer(): ReactNode {
  const state = useKept();
  const [newest, ...older] = present(state);
  if (newest === undefined) return null;
  const name = nameOf(newest.run, state.labels);
  return (
    <section
      className="panel padded"
      aria-label="The newest run kept in this browser"
      data-testid="kept-runs"
    >
      <Group justify="space-between" gap="6px 14px" data-testid="kept-run">
        <span>
          <strong>{name}</strong> is kept in this browser:{' '}
          <span className="quiet">{describeKept(newest)}</span>
        </span>
        <span className="row">
          <OpenButton kept={newest} name={name} filled />
          {older.length > 0 && (
            <ActionButton usable onClick={showRuns}>
              All {older.length + 1} runs
            </ActionButton>
          )}
          <ActionButton variant="subtle" usable onClick={() => setOpen('keptOffer', false)}>
            Not now
          </ActionButton>
        </span>
      </Group>
    </section>
  );
}
