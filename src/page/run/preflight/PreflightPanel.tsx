/** The report of the first answers on the run that Train would begin: how much it could learn, what would hinder it, its time and memory. */
import { useState, type ReactNode } from 'react';
import { bytesText, plural } from '@rl-playground/base/text';
import { type RunConfig, sameRun } from '@rl-playground/run/settings';
import { type Finding, type PreflightFacts, lossNote } from '@rl-playground/run/diagnosis';
import { secondsFromAnswers } from '@rl-playground/run/plan';
import { preflight, train } from '../actions/actions.ts';
import { touchesLocked } from '../form/locks.ts';
import { clock, percent } from '../../ui/text/format.ts';
import { usePlan } from '../plan/usePlan.ts';
import { atRest, canStart, isUnderWay } from '../state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Fold } from '../../ui/parts/Fold.tsx';
import { Facts, type Fact } from '../../ui/parts/words.tsx';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { useForm, changeForm } from '../form/formStore.ts';
import { useRun } from '../state/runStore.ts';
import classes from './preflight.module.css';

const ofAll = ({ answers }: PreflightFacts, share: number): string =>
  `${Math.round(share * answers)} of ${answers}`;

type Reset = () => Promise<void>;

const takeMend = (settings: Partial<RunConfig>): void => changeForm((form) => ({ ...form, ...settings }));

/** Ends and keeps the run, and begins another one with the changes. Nothing happens where the run could not be kept; a notice says so. */
async function startOver(settings: Partial<RunConfig>, reset: Reset): Promise<void> {
  const { controller } = useRun.getState();
  if (controller === null) return;
  await atRest(controller);
  await reset();
  if (controller.snapshot().phase !== 'idle') return;
  takeMend(settings);
  train();
}

interface FindingRowProps {
  readonly finding: Finding;
  readonly usable: boolean;
  /** True while a run goes on whose settings can't change any more. */
  readonly inRun: boolean;
  readonly reset: Reset;
}

function FindingRow({ finding, usable, inRun, reset }: FindingRowProps): ReactNode {
  const { id, kind, title, text, mend } = finding;
  const locked = useForm((state) => state.classroom.locked);
  return (
    <li className={`note row apart ${classes.finding}`} data-kind={kind} data-finding={id}>
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
          onClick={() => (inRun ? void startOver(mend.settings, reset) : takeMend(mend.settings))}
        >
          {inRun ? `${mend.label} and start over` : mend.label}
        </ActionButton>
      )}
    </li>
  );
}

/** Time and memory of the form's settings. `timed`: answers with them, for a machine that has made no step yet. */
function Costs({ timed }: { readonly timed: PreflightFacts | null }): ReactNode {
  const form = useForm((state) => state.form);
  const plan = usePlan();
  // Steps of a run with other settings say nothing; the plan knows by them how fast the machine is.
  const sampled = useRun(({ snapshot: { config, metrics } }) =>
    config !== null && sameRun(config, form) ? metrics.at(-1)?.seconds : undefined,
  );
  const time = `time for ${form.numSteps} steps`;
  // The facts keep their places, for the plan comes with the model.
  if (typeof plan === 'string') return <Facts entries={[time, 'memory'].map((name) => [name, '–', plan])} />;
  const measured = sampled ?? plan.step.seconds;
  const bound = timed !== null && timed.answers > 0 ? secondsFromAnswers(form, timed) : null;
  const seconds = measured ?? bound;
  const { gpu, host } = plan.peak;
  return (
    <Facts
      entries={[
        [
          time,
          seconds === null ? 'known after one step' : `up to ${clock(seconds * form.numSteps)}`,
          measured === null && bound !== null
            ? 'An upper bound, estimated from the time that these answers took. The first steps measure it.'
            : plan.step.text,
        ],
        [
          'memory',
          `${bytesText(gpu + host)}${plan.fits ? '' : ', more than there is'}`,
          `At the peak: ${bytesText(gpu)} of the GPU, ${bytesText(host)} of the host`,
        ],
      ]}
    />
  );
}

/** The first answers as facts. The closed fold says them in a line. */
function firstAnswers(facts: PreflightFacts): readonly Fact[] {
  const { inForm, right, groups, groupSize } = facts;
  const { low, high } = groups.interval;
  return [
    ['right format', ofAll(facts, inForm), 'Answers in the format that the task asks for'],
    ['right', ofAll(facts, right), 'Answers whose result is right'],
    [
      `groups of ${groupSize} with mixed rewards`,
      `${percent(groups.mixed, 0)} (${percent(low, 0)}–${percent(high, 0)})`,
      'Only groups with mixed rewards teach something. Expected over the first five steps, with a 95% interval.',
    ],
  ];
}

function summary(facts: PreflightFacts, findings: readonly Finding[]): string {
  const warnings = findings.filter(({ kind }) => kind === 'warning').length;
  const said = firstAnswers(facts).map(([name, value]) => `${value} ${name}`);
  return [...said, ...(warnings > 0 ? [plural(warnings, 'warning')] : [])].join(', ');
}

/** The panel closes by itself while the charts show a run with these settings. */
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
  // Another seed draws other answers to the same settings.
  const current =
    report !== null &&
    sameRun(report.config, { ...form, model: report.config.model, seed: report.config.seed });
  const twin = lossNote(form);
  // The note on losses needs no answers.
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
        // The browser also reports a fold that the page itself has moved.
        onOpen={(moved) => {
          if (moved !== open) setChosen({ begun, open: moved });
        }}
      >
        <div className="stack" role="status">
          <div className="row apart">
            {report === null ? (
              <p className="quiet">
                Quick check: 8 answers to each of 8 problems show whether the model has anything to learn
                from. A run of a bundled model starts with it; one of any other gives 16 answers when it meets
                a task for the first time. It does not change the run.
              </p>
            ) : (
              <Facts entries={firstAnswers(report.facts)} />
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
            <ul className="plain stack close">
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
