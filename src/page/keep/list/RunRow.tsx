/** A run in the list: its name and note, to be compared, forked, opened, deleted and taken back. */
import { Checkbox, Textarea, TextInput } from '@mantine/core';
import { useState, type ChangeEvent, type ReactNode } from 'react';
import { bytesText } from '@rl-playground/base/text';
import type { RunConfig } from '@rl-playground/run/settings';
import { hideRun, pinRun, showRun } from '../compare/compareActions.ts';
import { ForkForm } from '../compare/ForkForm.tsx';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { deleteForGood, deleteKeptRun, undoDelete } from '../kept/keptActions.ts';
import { changeLabel, LONGEST_NAME, LONGEST_NOTE, nameOf } from '../kept/labels.ts';
import type { KeptRun } from '@rl-playground/run/kept';
import { useRun } from '../../run/state/runStore.ts';
import { useCharts, MOST_ARMS } from '../../see/arms/chartsStore.ts';
import { useKept, type RunLabel } from '../kept/keptStore.ts';
import { describeKept, OpenButton } from './keptRow.tsx';
import charts from '../../see/charts/charts.module.css';
import classes from './kept.module.css';

/** What a field needs that keeps its text when it is left: `keep` gets a changed one, undefined for an empty one. */
function useTyped(standing: string, keep: (wanted: string | undefined) => void) {
  const [typed, setTyped] = useState<string | null>(null);
  return {
    value: typed ?? standing,
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      setTyped(currentTarget.value),
    onBlur: () => {
      const wanted = typed?.trim();
      setTyped(null);
      if (wanted !== undefined && wanted !== standing) keep(wanted === '' ? undefined : wanted);
    },
  };
}

/** A line that becomes a field where it is clicked. */
function NameField({ run, name }: { readonly run: string; readonly name: string }): ReactNode {
  const field = useTyped(name, (wanted) => void changeLabel(run, { name: wanted }));
  return (
    <TextInput
      className={classes.name}
      variant="unstyled"
      aria-label={`Name of the run ${name}`}
      maxLength={LONGEST_NAME}
      {...field}
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
  const field = useTyped(label?.note ?? '', (wanted) => void changeLabel(run, { note: wanted }));
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
      {...field}
    />
  );
}

/** In place of a run that was deleted, until the page is left. */
export function DeletedRow({ kept, name }: { readonly kept: KeptRun; readonly name: string }): ReactNode {
  const busy = useKept((state) => state.busy);
  return (
    <li className={classes.item} data-testid="deleted-run">
      <span className="quiet" role="status">
        {name} is deleted. Its {bytesText(kept.bytes)} are freed when the page is next opened.
      </span>
      <span className="row">
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
  /** Null until they are read. */
  readonly config: RunConfig | null;
}

/** Which runs are drawn beside the current one, and which of them the others are held against. */
function CompareControls({ run, name }: { readonly run: string; readonly name: string }): ReactNode {
  const arms = useCharts((state) => state.arms);
  const pinned = useCharts((state) => state.pinned);
  const arm = arms.find(({ runs }) => runs.includes(run));
  const full = arm === undefined && arms.length >= MOST_ARMS;
  return (
    <span className={classes.compare}>
      <Checkbox
        label={
          <>
            {arm !== undefined && <span className={charts.swatch} style={{ background: arm.colour }} />}
            Compare
          </>
        }
        aria-label={`Compare ${name}`}
        title={full ? `At most ${MOST_ARMS} are drawn at once` : 'Draw it in the charts'}
        disabled={full}
        checked={arm !== undefined}
        onChange={() => (arm === undefined ? void showRun(run) : hideRun(run))}
      />
      <ActionButton
        size="compact-xs"
        variant={arm !== undefined && arm.id === pinned ? 'filled' : 'subtle'}
        usable={!full}
        aria-pressed={arm !== undefined && arm.id === pinned}
        aria-label={`Baseline: ${name}`}
        title="Compare the others with this run"
        onClick={() => void pinRun(run)}
      >
        Baseline
      </ActionButton>
    </span>
  );
}

/** What a person should know of where it comes from. */
function Origin({ label }: { readonly label: RunLabel | undefined }): ReactNode {
  const labels = useKept((state) => state.labels);
  if (label?.parent !== undefined)
    return (
      <span className={classes.changes}>
        forked from {nameOf(label.parent.run, labels)} at step {label.parent.step}
      </span>
    );
  return label?.group === undefined ? null : (
    <span className={classes.changes}>one of several seeds, drawn together</span>
  );
}

export function RunRow({ kept, name, label, changes, config }: RowProps): ReactNode {
  const [forking, setForking] = useState(false);
  const current = useRun((state) => state.snapshot.run);
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
        <Origin label={label} />
        <NoteField run={kept.run} name={name} label={label} />
      </div>
      <span className="row">
        <CompareControls run={kept.run} name={name} />
        <ActionButton
          usable={config !== null}
          aria-expanded={forking}
          aria-label={`Fork ${name}`}
          title="A new run from one of its checkpoints, with one setting changed"
          onClick={() => setForking(!forking)}
        >
          Fork…
        </ActionButton>
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
      {forking && config !== null && (
        <ForkForm kept={kept} config={config} onDone={() => setForking(false)} />
      )}
    </li>
  );
}
