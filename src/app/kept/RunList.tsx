/** Every run that this browser keeps: its name, what it changed, notes, size; to be gone on with, deleted and taken back. */
import { Textarea, TextInput } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { bytesText, plural } from '../../base/text.ts';
import type { RunConfig } from '../../config/schema.ts';
import { runBegan } from '../../run/kept/runName.ts';
import { keptConfig } from '../../run/kept/keptRecord.ts';
import type { KeptRun } from '../../run/kept/runStore.ts';
import { useApp } from '../store.ts';
import { ActionButton } from '../ui/buttons.tsx';
import { Panel } from '../ui/Panel.tsx';
import { changesText } from './changes.ts';
import { deleteForGood, deleteKeptRun, undoDelete } from './keptActions.ts';
import { describeKept, OpenButton } from './keptRow.tsx';
import { useKept, type RunLabel } from './keptStore.ts';
import { changeLabel, LONGEST_NAME, LONGEST_NOTE, nameOf } from './labels.ts';
import { runListPlace } from './showRuns.ts';
import classes from './kept.module.css';

/** Runs that are listed until all are asked for. */
const FEW = 8;

/** Settings of the runs, as far as they are read; each is read once. */
function useConfigs(runs: readonly KeptRun[]): ReadonlyMap<string, RunConfig> {
  const [configs, setConfigs] = useState<ReadonlyMap<string, RunConfig>>(new Map());
  useEffect(() => {
    let gone = false;
    const read = async (): Promise<void> => {
      for (const kept of runs) {
        if (gone || configs.has(kept.run)) continue;
        const config = await keptConfig(kept).catch(() => null);
        if (!gone && config) setConfigs((before) => new Map(before).set(kept.run, config));
      }
    };
    void read();
    return () => {
      gone = true;
    };
  }, [runs, configs]);
  return configs;
}

/** A line that becomes a field where it is clicked: a name, a note. */
function NameField({ run, name }: { readonly run: string; readonly name: string }): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  const keep = (): void => {
    const wanted = typed?.trim();
    setTyped(null);
    if (wanted === undefined || wanted === name) return;
    void changeLabel(run, { name: wanted === '' ? undefined : wanted });
  };
  return (
    <TextInput
      className={classes.name}
      variant="unstyled"
      aria-label={`Name of the run ${name}`}
      maxLength={LONGEST_NAME}
      value={typed ?? name}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={keep}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
    />
  );
}

function NoteField({
  run,
  name,
  label,
}: {
  run: string;
  name: string;
  label: RunLabel | undefined;
}): ReactNode {
  const note = label?.note ?? '';
  const [typed, setTyped] = useState<string | null>(null);
  const keep = (): void => {
    const wanted = typed?.trim();
    setTyped(null);
    if (wanted === undefined || wanted === note) return;
    void changeLabel(run, { note: wanted === '' ? undefined : wanted });
  };
  return (
    <Textarea
      className={classes.note}
      variant="unstyled"
      aria-label={`Note on ${name}`}
      placeholder="Add a note"
      maxLength={LONGEST_NOTE}
      autosize
      minRows={1}
      maxRows={6}
      value={typed ?? note}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={keep}
    />
  );
}

/** In place of a run that was deleted, until the page is left. */
function DeletedRow({ kept, name }: { readonly kept: KeptRun; readonly name: string }): ReactNode {
  const busy = useKept((state) => state.busy);
  return (
    <li className={classes.item} data-testid="deleted-run">
      <span className="quiet" role="status">
        {name} is deleted. Its {bytesText(kept.bytes)} go when the page is next opened.
      </span>
      <span className={classes.buttons}>
        <ActionButton
          usable={busy === null}
          onClick={() => void undoDelete(kept)}
          aria-label={`Undo: keep ${name}`}
        >
          Undo
        </ActionButton>
        <ActionButton
          variant="subtle"
          usable={busy === null}
          onClick={() => void deleteForGood(kept)}
          aria-label={`Free the space of ${name} now`}
        >
          Free the space now
        </ActionButton>
      </span>
    </li>
  );
}

interface RowProps {
  readonly kept: KeptRun;
  readonly name: string;
  readonly label: RunLabel | undefined;
  /** The settings against those of the run before; null until both are read. */
  readonly changes: string | null;
}

function Row({ kept, name, label, changes }: RowProps): ReactNode {
  const current = useApp((state) => state.snapshot.run);
  const busy = useKept((state) => state.busy);
  const here = kept.run === current;
  const free = busy === null && !kept.claimed;
  return (
    <li className={classes.item} data-testid="run-row" data-run={kept.run} aria-current={here || undefined}>
      <div className={classes.facts}>
        <NameField run={kept.run} name={name} />
        <span className={classes.describe}>{describeKept(kept, current)}</span>
        {changes !== null && (
          <span className={classes.changes} data-testid="run-changes">
            {changes}
          </span>
        )}
        <NoteField run={kept.run} name={name} label={label} />
      </div>
      <span className={classes.buttons}>
        {here ? (
          <span className={classes.here}>on the page</span>
        ) : (
          <>
            <OpenButton kept={kept} name={name} />
            <ActionButton
              usable={free}
              aria-label={`Delete ${name}`}
              title={kept.claimed ? 'It is open in another tab' : undefined}
              onClick={() => void deleteKeptRun(kept)}
            >
              Delete
            </ActionButton>
          </>
        )}
      </span>
    </li>
  );
}

export function RunList(): ReactNode {
  const { runs, labels, storage } = useKept();
  const [all, setAll] = useState(false);
  const configs = useConfigs(runs);
  if (runs.length === 0) return null;
  const inOrder = runs.toSorted((a, b) => runBegan(b.run) - runBegan(a.run));
  const changesOf = (index: number): string | null => {
    const [run, before] = [inOrder[index], inOrder[index + 1]];
    if (run === undefined) return null;
    if (before === undefined) return 'the first run';
    const [after, earlier] = [configs.get(run.run), configs.get(before.run)];
    return after && earlier ? changesText(earlier, after) : null;
  };
  return (
    <div {...runListPlace}>
      <Panel
        title="Runs"
        testId="runs"
        aside={
          <span className="quiet">
            {plural(runs.length, 'run')}
            {storage !== null &&
              `, ${bytesText(storage.used)} of the ${bytesText(storage.quota)} that the browser gives this page`}
          </span>
        }
      >
        <ul className={classes.list}>
          {inOrder.slice(0, all ? undefined : FEW).map((kept, index) => {
            const name = nameOf(kept.run, labels);
            const label = labels[kept.run];
            return label?.deleted === undefined ? (
              <Row key={kept.run} kept={kept} name={name} label={label} changes={changesOf(index)} />
            ) : (
              <DeletedRow key={kept.run} kept={kept} name={name} />
            );
          })}
        </ul>
        {inOrder.length > FEW && (
          <ActionButton usable variant="subtle" onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${inOrder.length} runs`}
          </ActionButton>
        )}
      </Panel>
    </div>
  );
}
