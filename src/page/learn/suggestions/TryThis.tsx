/** First runs to choose from, with their time on this machine, and sentences that change one setting. */
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import {
  defaultConfig,
  sameValue,
  type FieldKey,
  type RunConfig,
  type PresetName,
} from '@rl-playground/run/settings';
import type { RunSnapshot } from '@rl-playground/run/session';
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
import boxes from '../../ui/style/boxes.module.css';

interface Card {
  readonly task: string;
  readonly preset: PresetName;
  /** Null: the title of the task. */
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

/** Besides the task, the time of a step depends on these settings. */
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

/** The seconds of a step of each first run. A run of the usual sizes is timed when it rests. */
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

/** No run takes 0:00. */
const time = (seconds: number): string => clock(Math.max(1, seconds));

function RunCard({
  task,
  preset,
  title,
  seconds,
}: Card & { readonly seconds: number | undefined }): ReactNode {
  const chosen = useForm(({ form }) => form.task === task && form.preset === preset);
  const { numSteps } = defaultConfig(task, preset);
  return (
    <button
      type="button"
      className={boxes.card}
      aria-pressed={chosen}
      onClick={() => (title === null ? setTask(task) : changeForm(() => defaultConfig(task, preset)))}
    >
      <b>{title ?? findTask(task)?.title}</b>
      <span className="quiet">
        {plural(numSteps, 'step')},{' '}
        {seconds === undefined ? 'not timed on this machine yet' : `about ${time(seconds * numSteps)} here`}
      </span>
    </button>
  );
}

export function TryThis(): ReactNode {
  const form = useForm((state) => state.form);
  const locked = useForm((state) => state.classroom.locked);
  const free = useRun(({ snapshot }) => !isUnderWay(snapshot.phase));
  const timings = useTimings();
  if (!free) return null;
  // The link of a class can lock settings.
  const cards = CARDS.filter(({ title }) => (title === null ? !locked.has('task') : locked.size === 0));
  const suggestions = SUGGESTIONS.filter(({ key }) => !locked.has(key));
  return (
    <section
      id={SUGGESTIONS_ID}
      className="panel padded stack"
      aria-label="Things to try"
      data-testid="try-this"
    >
      <div className={boxes.cards}>
        {cards.map((card) => (
          <RunCard key={timedAs(card)} {...card} seconds={timings[timedAs(card)]} />
        ))}
      </div>
      {suggestions.length > 0 && (
        <p className="quiet">
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
