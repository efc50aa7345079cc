/** First runs to choose from, with the time that they take on this machine, and sentences that set what they name. */
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { breathe } from '@rl-playground/engine/parts';
import { plural } from '@rl-playground/base/text';
import {
  defaultConfig,
  sameValue,
  type FieldKey,
  type RunConfig,
  type PresetName,
  answersInStep,
} from '@rl-playground/run/settings';
import type { RunController, RunSnapshot } from '@rl-playground/run/session';
import { findTask } from '@rl-playground/tasks/parts';
import { setTask, setValue } from '../../run/actions/actions.ts';
import { showSetting } from '../../run/controls/settingPlaces.ts';
import { clock } from '../../ui/text/format.ts';
import { isUnderWay } from '../../run/state/phases.ts';
import { LinkButton } from '../../ui/parts/buttons.tsx';
import { SUGGESTIONS_ID } from '../../ui/open/places.ts';
import { useForm, changeForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { keepTiming, secondsPerStep, timedAs, timingsHere } from './timings.ts';
import classes from './suggestions.module.css';

interface Card {
  readonly task: string;
  readonly preset: PresetName;
  /** Null for the task's own. */
  readonly title: string | null;
}

const CARDS: readonly Card[] = [
  ...['reverse_digits', 'gcd', 'sum_digits'].map((task) => ({
    task,
    preset: 'default' as const,
    title: null,
  })),
  { task: 'reverse_digits', preset: 'monarch-digits', title: 'Preset: Monarch digits' },
  { task: 'tinker_arithmetic', preset: 'tinker-rl-basic', title: 'Preset: Tinker rl_basic' },
];

/** Settings that a step's time depends on, beside the task. */
const TIMED: readonly FieldKey[] = [
  'problemsPerStep',
  'rolloutsPerProblem',
  'maxTokens',
  'model',
  'loraRank',
];

interface Suggestion {
  readonly before: string;
  readonly words: string;
  readonly after: string;
  readonly key: FieldKey;
  readonly value: (form: RunConfig) => RunConfig[FieldKey];
}

const SUGGESTIONS: readonly Suggestion[] = [
  {
    before: 'Ruin a run: ',
    words: 'learning rate × 30',
    after: '.',
    key: 'learningRate',
    value: ({ task, preset }) => defaultConfig(task, preset).learningRate * 30,
  },
  {
    before: 'Compare ',
    words: 'only 2 answers',
    after: ' to each problem, and see how often both score the same.',
    key: 'rolloutsPerProblem',
    value: () => 2,
  },
  {
    before: 'Learn without comparing: ',
    words: 'REINFORCE',
    after: ' in place of GRPO.',
    key: 'loss',
    value: () => 'reinforce',
  },
];

const NONE: RunSnapshot['metrics'] = [];

/** Seconds a step of each first run: what was kept, and what a run of the usual sizes took, which is kept once it rests. */
function useTimings(): ReturnType<typeof timingsHere> {
  const [kept] = useState(timingsHere);
  const config = useRun(({ snapshot }) => snapshot.config);
  const metrics = useRun(({ snapshot }) => (isUnderWay(snapshot.phase) ? NONE : snapshot.metrics));
  const seconds = useMemo(() => secondsPerStep({ metrics }), [metrics]);
  const usual = config && defaultConfig(config.task, config.preset);
  const counts =
    config !== null && usual !== null && TIMED.every((key) => sameValue(config[key], usual[key]));
  const run = counts ? timedAs(config) : null;
  useEffect(() => {
    if (run !== null && seconds !== null) keepTiming(run, seconds);
  }, [run, seconds]);
  return run === null || seconds === null ? kept : { ...kept, [run]: seconds };
}

/** Seconds a step as the plan expects them of runs that were not timed here; none before the machine's speed is known. */
interface Estimates {
  readonly seconds: ReturnType<typeof timingsHere>;
  /** Whether answers are taken to be as long as they may be, and not as long as those of the run at hand. */
  readonly areBounds: boolean;
}

/** Tokens of an answer in the newest step; null where there is none. */
function typicalTokens({ config, metrics }: Pick<RunSnapshot, 'config' | 'metrics'>): number | null {
  const last = metrics.at(-1);
  return config === null || last === undefined
    ? null
    : Math.ceil(last.completionTokens / answersInStep(config));
}

function useEstimates(): Estimates {
  const controller = useRun((state) => state.controller);
  const modelName = useRun((state) => state.snapshot.modelName);
  const step = useRun((state) => state.snapshot.step);
  const resting = useRun(({ snapshot }) => !isUnderWay(snapshot.phase));
  const [found, setFound] = useState<Estimates>({ seconds: {}, areBounds: true });
  useEffect(() => {
    if (controller === null || modelName === null || !resting) return undefined;
    const tokens = typicalTokens(controller.snapshot());
    let isWanted = true;
    // Behind what is being drawn, a card a turn.
    const estimate = async (): Promise<void> => {
      const seconds: Record<string, number> = {};
      for (const { task, preset } of CARDS) {
        await breathe();
        const config = defaultConfig(task, preset);
        const maxTokens = Math.min(config.maxTokens, Math.max(1, tokens ?? Infinity));
        const expected = await expectedSeconds(controller, { ...config, maxTokens });
        if (!isWanted) return;
        if (expected === 'unmeasured') return;
        if (expected !== null) seconds[timedAs(config)] = expected;
      }
      setFound({ seconds, areBounds: tokens === null });
    };
    void estimate();
    return () => {
      isWanted = false;
    };
  }, [controller, modelName, step, resting]);
  return found;
}

/** `unmeasured` where this machine's speed is not known yet, and so no run's time. */
async function expectedSeconds(
  controller: RunController,
  config: RunConfig,
): Promise<number | 'unmeasured' | null> {
  try {
    const plan = await controller.start.plan(config);
    return plan === null ? null : (plan.step.seconds ?? 'unmeasured');
  } catch {
    // The loaded model can't be trained so.
    return null;
  }
}

interface RunCardProps extends Card {
  readonly timed: number | undefined;
  readonly expected: number | undefined;
  readonly isBound: boolean;
}

/** Never 0:00, which no run takes. */
const time = (seconds: number): string => clock(Math.max(1, seconds));

function RunCard({ task, preset, title, timed, expected, isBound }: RunCardProps): ReactNode {
  const chosen = useForm(({ form }) => form.task === task && form.preset === preset);
  const { numSteps } = defaultConfig(task, preset);
  return (
    <button
      type="button"
      className={classes.card}
      aria-pressed={chosen}
      onClick={() => (title === null ? setTask(task) : changeForm(() => defaultConfig(task, preset)))}
    >
      <b>{title ?? findTask(task)?.title}</b>
      <span className="quiet">
        {plural(numSteps, 'step')},{' '}
        {timed !== undefined
          ? `about ${time(timed * numSteps)} here`
          : expected !== undefined
            ? `${isBound ? 'up to' : 'about'} ${time(expected * numSteps)}, estimated`
            : 'not timed on this machine yet'}
      </span>
    </button>
  );
}

export function TryThis(): ReactNode {
  const form = useForm((state) => state.form);
  const locked = useForm((state) => state.classroom.locked);
  const free = useRun(({ snapshot }) => !isUnderWay(snapshot.phase));
  const timings = useTimings();
  const estimates = useEstimates();
  if (!free) return null;
  // A link for a class may keep some settings as they are.
  const cards = CARDS.filter(({ title }) => (title === null ? !locked.has('task') : locked.size === 0));
  const suggestions = SUGGESTIONS.filter(({ key }) => !locked.has(key));
  return (
    <section
      id={SUGGESTIONS_ID}
      className={`panel ${classes.box}`}
      aria-label="Things to try"
      data-testid="try-this"
    >
      <div className={classes.cards}>
        {cards.map((card) => (
          <RunCard
            key={timedAs(card)}
            {...card}
            timed={timings[timedAs(card)]}
            expected={estimates.seconds[timedAs(card)]}
            isBound={estimates.areBounds}
          />
        ))}
      </div>
      {suggestions.length > 0 && (
        <p className={classes.sentences}>
          You could try:{' '}
          {suggestions.map(({ before, words, after, key, value }) => (
            <span key={key}>
              {before}
              <LinkButton
                onClick={() => {
                  setValue(key, value(form));
                  showSetting(key);
                }}
              >
                {words}
              </LinkButton>
              {after}{' '}
            </span>
          ))}
        </p>
      )}
    </section>
  );
}
