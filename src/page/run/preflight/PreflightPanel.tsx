/** What the first answers say of the run that Train would begin: how much there is to learn from, what stands in the way, time and memory. */
import { useState, type ReactNode } from 'react';
import { bytesText, plural } from '@rl-playground/base/text';
import type { RunConfig } from '@rl-playground/run/settings';
import { type Finding, type PreflightFacts, lossNote } from '@rl-playground/run/diagnosis';
import { sameRun } from '@rl-playground/run/session';
import { secondsFromAnswers } from '@rl-playground/run/plan';
import { preflight, train } from '../actions/actions.ts';
import { touchesLocked } from '../form/locks.ts';
import { clock, percent } from '../../ui/text/format.ts';
import { usePlan } from '../plan/usePlan.ts';
import { atRest, canStart, isUnderWay } from '../state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Fold } from '../../ui/parts/Fold.tsx';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { useForm, changeForm } from '../form/formStore.ts';
import { useRun } from '../state/runStore.ts';
import classes from './preflight.module.css';

function Fact({ name, value, help }: { name: string; value: string; help: string }): ReactNode {
  return (
    <div className={classes.fact} title={help}>
      <dt>{name}</dt>
      <dd className="number">{value}</dd>
    </div>
  );
}

const ofAll = ({ answers }: PreflightFacts, share: number): string =>
  `${Math.round(share * answers)} of ${answers}`;

function Facts({ facts }: { facts: PreflightFacts }): ReactNode {
  const { inForm, right, groups, groupSize } = facts;
  const { low, high } = groups.interval;
  return (
    <dl className={classes.facts}>
      <Fact
        name="in the requested form"
        value={ofAll(facts, inForm)}
        help="Answers in the form that the task asks for"
      />
      <Fact name="right" value={ofAll(facts, right)} help="Answers whose result is right" />
      <Fact
        name={`groups of ${groupSize} that teach`}
        value={`${percent(groups.mixed, 0)} (${percent(low, 0)}–${percent(high, 0)})`}
        help="Groups whose answers do not all earn the same: only these teach. Expected over the first five steps, with a 95% interval."
      />
    </dl>
  );
}

/** Puts the run aside. */
type Reset = () => Promise<void>;

/** A run under way ends, and is kept; another begins with the changes. Nothing happens where it could not be kept, which is said. */
async function startOver(settings: Partial<RunConfig>, reset: Reset): Promise<void> {
  const { controller } = useRun.getState();
  if (controller === null) return;
  await atRest(controller);
  await reset();
  if (controller.snapshot().phase !== 'idle') return;
  changeForm((form) => ({ ...form, ...settings }));
  train();
}

interface FindingRowProps {
  readonly finding: Finding;
  readonly usable: boolean;
  /** Whether a run goes on whose settings can't change any more. */
  readonly inRun: boolean;
  readonly reset: Reset;
}

function FindingRow({ finding, usable, inRun, reset }: FindingRowProps): ReactNode {
  const { id, kind, title, text, mend } = finding;
  const locked = useForm((state) => state.classroom.locked);
  return (
    <li className={classes.finding} data-kind={kind} data-finding={id}>
      {kind === 'note' ? (
        <details>
          <summary>{title}</summary>
          <Glossed text={text} />
        </details>
      ) : (
        <div>
          <b>{title}.</b> <Glossed text={text} />
        </div>
      )}
      {mend !== undefined && !touchesLocked(Object.keys(mend.settings), locked) && (
        <ActionButton
          size="compact-xs"
          usable={usable}
          onClick={() =>
            inRun
              ? void startOver(mend.settings, reset)
              : changeForm((form) => ({ ...form, ...mend.settings }))
          }
        >
          {inRun ? `${mend.label} and start over` : mend.label}
        </ActionButton>
      )}
    </li>
  );
}

/** Time and memory of the form's settings. `timed`: answers under them, for a machine that has made no step yet. */
function Costs({ timed }: { readonly timed: PreflightFacts | null }): ReactNode {
  const form = useForm((state) => state.form);
  const plan = usePlan();
  // Of a run under other settings the steps say nothing; the plan knows by them how fast the machine is.
  const sampled = useRun(({ snapshot: { config, metrics } }) =>
    config !== null && sameRun(config, form) ? metrics.at(-1)?.seconds : undefined,
  );
  const steps = form.numSteps;
  if (typeof plan === 'string') {
    // Their places are kept, for the model comes with the plan.
    return (
      <dl className={classes.facts}>
        <Fact name={`time for ${steps} steps`} value="–" help={plan} />
        <Fact name="memory" value="–" help={plan} />
      </dl>
    );
  }
  const measured = sampled ?? plan.step.seconds;
  const bound = timed !== null && timed.answers > 0 ? secondsFromAnswers(form, timed) : null;
  const seconds = measured ?? bound;
  const { gpu, host } = plan.peak;
  return (
    <dl className={classes.facts}>
      <Fact
        name={`time for ${steps} steps`}
        value={seconds === null ? 'known after one step' : `up to ${clock(seconds * steps)}`}
        help={
          measured === null && bound !== null
            ? 'An upper bound, by the time that these answers took. The first steps measure it.'
            : plan.step.text
        }
      />
      <Fact
        name="memory"
        value={`${bytesText(gpu + host)}${plan.fits ? '' : ', more than there is'}`}
        help={`At the peak: ${bytesText(gpu)} of the GPU, ${bytesText(host)} of the host`}
      />
    </dl>
  );
}

/** In a few words, for when the rest is folded. */
function summary(facts: PreflightFacts, findings: readonly Finding[]): string {
  const warnings = findings.filter(({ kind }) => kind === 'warning').length;
  const { inForm, right, groups } = facts;
  return [
    `${ofAll(facts, inForm)} in the requested form`,
    `${ofAll(facts, right)} right`,
    `${percent(groups.mixed, 0)} of the groups teach`,
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
  ].join(', ');
}

/** Folded by itself while the charts show a run of these settings. */
export function PreflightPanel({ reset }: { readonly reset: Reset }): ReactNode {
  const form = useForm((state) => state.form);
  const report = useRun((state) => state.snapshot.preflight);
  const startable = useRun((state) => canStart(state.snapshot));
  const idle = useRun(({ snapshot }) => snapshot.step === 0 || snapshot.phase === 'finished');
  const underWay = useRun(({ snapshot }) => isUnderWay(snapshot.phase));
  const begun = useRun(
    ({ snapshot: { config, step } }) => step > 0 && config !== null && sameRun(config, form),
  );
  const [chosen, setChosen] = useState<{ readonly begun: boolean; readonly open: boolean } | null>(null);
  const open = chosen?.begun === begun ? chosen.open : !begun;
  const current = report !== null && sameRun(report.config, { ...form, model: report.config.model });
  const twin = lossNote(form);
  // What losses do is known without an answer.
  const findings = [
    ...(report?.findings.filter(({ id }) => id !== 'same_losses') ?? []),
    ...(twin === null ? [] : [twin]),
  ];
  return (
    <section className="panel" aria-label="Before step 1" data-testid="preflight">
      <Fold
        title="Before step 1"
        note={open || report === null ? undefined : summary(report.facts, findings)}
        open={open}
        // The browser tells of a fold that this page moved, too.
        onOpen={(moved) => {
          if (moved !== open) setChosen({ begun, open: moved });
        }}
      >
        <div className="stack" role="status">
          <div className={classes.ask}>
            {report === null ? (
              <p className="quiet">
                Eight answers to each of eight problems show whether there is anything to learn from. A run of
                a bundled model begins with them; they change nothing of it.
              </p>
            ) : (
              <Facts facts={report.facts} />
            )}
            <ActionButton size="compact-xs" usable={startable && idle} onClick={preflight}>
              Try 8 × 8 answers
            </ActionButton>
          </div>
          {report !== null && !current && (
            <p className="quiet">These answers were sampled with settings that have changed since.</p>
          )}
          <Costs timed={current ? report.facts : null} />
          {findings.length > 0 && (
            <ul className={classes.findings}>
              {findings.map((finding) => (
                <FindingRow
                  key={`${finding.id} ${finding.title}`}
                  finding={finding}
                  usable={idle ? startable : underWay}
                  inRun={!idle}
                  reset={reset}
                />
              ))}
            </ul>
          )}
        </div>
      </Fold>
    </section>
  );
}
