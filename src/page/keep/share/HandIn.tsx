/** A run is saved as a file for a teacher, who can make the run again and compare it with the file. */
import { Group, Progress, TextInput } from '@mantine/core';
import { headlineOf, type EvalResult } from '@rl-playground/run/loop';
import { useState, type ReactNode } from 'react';
import { grouped, plural } from '@rl-playground/base/text';
import { changedBetween, defaultConfig } from '@rl-playground/run/settings';
import { LONGEST_LEARNER, type HandIn as HandInFile } from '@rl-playground/run/handIn';
import { percent } from '../../ui/text/format.ts';
import { changesText } from '../kept/changes.ts';
import { ActionButton, FileButton } from '../../ui/parts/buttons.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { type Verdict, useKept } from '../kept/keptStore.ts';
import { notToHandIn, notToReplay, openHandIn, replayHandIn, saveHandIn } from './handInActions.ts';
import classes from './share.module.css';

function HandInForm(): ReactNode {
  const reason = useRun(({ snapshot }) => notToHandIn(snapshot));
  const [learner, setLearner] = useState('');
  return (
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
  );
}

/** The last evaluation. It is shown only once the repeated run has confirmed it. */
function confirmed({ evaluations }: HandInFile, verdict: Verdict | null): string {
  const last = evaluations.at(-1);
  if (verdict?.kind !== 'same' || last === undefined) return '';
  // The repeated run has evaluated the same, so the record is one of an evaluation.
  const { share, kind } = headlineOf(last as unknown as EvalResult);
  return ` The evaluation after step ${grouped(last.step)}: ${kind} accuracy ${percent(share)}.`;
}

const VERDICTS: Readonly<Record<Verdict['kind'], string>> = {
  same: 'Verified: the re-run matches the file in every figure.',
  refuted:
    'The run is not what the file says. Its own answers show it: a text earns the same reward on every machine.',
  different: 'The run is not what the file says.',
  undecided:
    'Not confirmed. The answers are scored as the file says, but this browser can’t tell whether the model wrote them. The run was made on another kind of device or browser, whose last digits differ. Open this page on such a device, or add ?backend=wasm to the address if the run was made on the CPU.',
  unconfirmed:
    'Not confirmed. All steps came out the same, but an evaluation was not made again here. Check the file once more.',
};

interface VerdictProps {
  readonly verdict: Verdict;
  /** The confirmed evaluation, or an empty text. */
  readonly figure: string;
}

function VerdictOf({ verdict, figure }: VerdictProps): ReactNode {
  return (
    <p role="status" data-testid="hand-in-verdict" data-verdict={verdict.kind}>
      <b>{VERDICTS[verdict.kind]}</b>
      {figure}
      {verdict.kind !== 'same' && (
        <>
          {' '}
          {verdict.difference.place}, {verdict.difference.key}: the file says {verdict.difference.claimed},{' '}
          {verdict.kind === 'refuted' ? 'its answers give' : 'this run gave'} {verdict.difference.found}.
        </>
      )}
    </p>
  );
}

function Check({ handIn }: { readonly handIn: HandInFile }): ReactNode {
  const { replaying, agreed, verdict } = useKept((state) => state.handIn);
  const reason = useRun(({ snapshot }) => notToReplay(snapshot));
  const { settings, learner, metrics } = handIn;
  const usual = defaultConfig(settings.task, settings.preset);
  return (
    <div className={`stack ${classes.check}`} data-testid="hand-in-check">
      <p>
        <b>{learner === '' ? 'Without a name' : learner}</b>: {settings.task},{' '}
        {plural(metrics.length, 'step')}.{' '}
        {changedBetween(usual, settings).length === 0
          ? 'The usual settings.'
          : `Changed settings: ${changesText(usual, settings)}.`}{' '}
        <span className="quiet">Trained on {handIn.computation}.</span>
      </p>
      <ActionButton
        usable={!replaying && reason === null}
        onClick={() => void replayHandIn()}
        data-testid="hand-in-replay"
      >
        Re-run and verify
      </ActionButton>
      {reason !== null && !replaying && <p className="quiet">{reason}</p>}
      {replaying && (
        <>
          <Progress value={(100 * agreed) / metrics.length} aria-label="Steps that are the same" />
          <p className="quiet">
            {plural(agreed, 'step')} of {metrics.length} the same so far.
          </p>
        </>
      )}
      {verdict !== null && <VerdictOf verdict={verdict} figure={confirmed(handIn, verdict)} />}
    </div>
  );
}

export function HandIn(): ReactNode {
  const { handIn, problem, replaying } = useKept((state) => state.handIn);
  return (
    <div className="stack wide" style={{ alignItems: 'flex-start' }} role="group" aria-label="Hand in a run">
      <h3 className="panel-title">Hand in a run</h3>
      <p className="quiet">
        This saves a finished run as one file, with its settings and all figures of every step. A teacher can
        open the file here, make the run again, and see whether it comes out the same.
      </p>
      <HandInForm />
      <FileButton
        usable={!replaying}
        accept=".json"
        inputName="Hand-in to check"
        inputTestId="hand-in-input"
        onFiles={([file]) => void openHandIn(file)}
      >
        Check a hand-in…
      </FileButton>
      {problem !== null && <p role="alert">{problem}</p>}
      {handIn !== null && <Check handIn={handIn} />}
    </div>
  );
}
