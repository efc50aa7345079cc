/** A run in the list, with its name, its note and its actions. */
import { Textarea, type TextareaProps } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { bytesText } from '@rl-playground/base/text';
import type { RunConfig } from '@rl-playground/run/settings';
import { hideRun } from '../compare/compareActions.ts';
import { ForkForm } from '../compare/ForkForm.tsx';
import { ActionButton, LinkButton } from '../../ui/parts/buttons.tsx';
import { showPastWeights } from '../../ui/open/places.ts';
import { deleteForGood, deleteKeptRun, undoDelete } from '../kept/keptActions.ts';
import { changeLabel, LONGEST_NAME, LONGEST_NOTE, nameOf } from '../kept/labels.ts';
import type { KeptRun } from '@rl-playground/run/kept';
import { useRun } from '../../run/state/runStore.ts';
import { useKept } from '../kept/keptStore.ts';
import type { RunLabel } from '../kept/runLabel.ts';
import { CompareControls } from './CompareControls.tsx';
import { describeKept, OpenButton } from './KeptOffer.tsx';
import boxes from '../../ui/style/boxes.module.css';
import classes from './kept.module.css';

interface LabelFieldProps extends Omit<TextareaProps, 'value' | 'onChange' | 'onBlur'> {
  readonly text: string;
  /** Keeps a changed text; undefined stands for an empty one. */
  readonly onKeep: (text: string | undefined) => void;
}

/** A text that becomes a field when it is clicked, and is kept when the focus leaves it. */
function LabelField({ text, onKeep, ...rest }: LabelFieldProps): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <Textarea
      variant="unstyled"
      autosize
      minRows={1}
      value={typed ?? text}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={() => {
        const wanted = typed?.trim();
        setTyped(null);
        if (wanted !== undefined && wanted !== text) onKeep(wanted === '' ? undefined : wanted);
      }}
      {...rest}
    />
  );
}

/** A deleted run, which can be taken back until the page is left. */
export function DeletedRow({ kept, name }: { readonly kept: KeptRun; readonly name: string }): ReactNode {
  const busy = useKept((state) => state.busy);
  return (
    <li className={boxes.item} data-testid="deleted-run">
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
  /** The changes since the run before; null until the settings of both are read. */
  readonly changes: string | null;
  /** The run's settings; null until they are read. */
  readonly config: RunConfig | null;
  /** True for one of several seeds, which are drawn together. */
  readonly inGroup: boolean;
}

/** A text on the run that this one was forked from. */
function originOf(label: RunLabel | undefined, labels: Readonly<Record<string, RunLabel>>): string | null {
  const { parent } = label ?? {};
  return parent === undefined ? null : `forked from ${nameOf(parent.run, labels)} at step ${parent.step}`;
}

export function RunRow({ kept, name, label, changes, config, inGroup }: RowProps): ReactNode {
  const [forking, setForking] = useState(false);
  const current = useRun((state) => state.snapshot.run);
  const busy = useKept((state) => state.busy);
  const here = kept.run === current;
  const origin = useKept(({ labels }) => originOf(label, labels));
  const free = busy === null && !kept.claimed;
  return (
    <li className={boxes.item} data-testid="run-row" data-run={kept.run} aria-current={here || undefined}>
      <div className={classes.facts}>
        <LabelField
          classNames={{ input: classes.name }}
          aria-label={`Name of the run ${name}`}
          maxLength={LONGEST_NAME}
          maxRows={3}
          text={name}
          onKeep={(text) => void changeLabel(kept.run, { name: text })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            event.currentTarget.blur();
          }}
        />
        <span className="quiet">
          {describeKept(kept, current)}
          {kept.pastBytes > 0 && (
            <>
              {' '}
              <LinkButton aria-label={`Keep less of ${name}`} onClick={showPastWeights}>
                keep less…
              </LinkButton>
            </>
          )}
        </span>
        {changes !== null && (
          <span className="quiet" data-testid="run-changes">
            {changes}
          </span>
        )}
        {origin !== null && <span className="quiet">{origin}</span>}
        <LabelField
          aria-label={`Note on ${name}`}
          placeholder="Add a note"
          maxLength={LONGEST_NOTE}
          maxRows={6}
          text={label?.note ?? ''}
          onKeep={(text) => void changeLabel(kept.run, { note: text })}
        />
      </div>
      <span className="row">
        {!inGroup && <CompareControls run={kept.run} name={name} config={config} />}
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
          <span className="quiet">
            <b className="good">on the page</b>
          </span>
        ) : (
          <>
            <OpenButton kept={kept} name={name} />
            <ActionButton
              usable={free}
              aria-label={`Delete ${name}`}
              title={kept.claimed ? 'It is open in another tab' : undefined}
              onClick={() => {
                hideRun(kept.run);
                void deleteKeptRun(kept);
              }}
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
