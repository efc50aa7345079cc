/** First runs to choose from, with the time that they take on this machine, and sentences that set what they name. */
import { useEffect, useState, type ReactNode } from 'react';
import { plural } from '../../base/text.ts';
import { defaultConfig } from '../../config/presets.ts';
import { sameValue } from '../../config/fields.ts';
import type { FieldKey, RunConfig } from '../../config/schema.ts';
import { findTask } from '../../tasks/index.ts';
import { setTask, setValue } from '../actions.ts';
import { showSetting } from '../controls/drawerStore.ts';
import { clock } from '../format/format.ts';
import { useApp } from '../store.ts';
import { isUnderWay } from '../transport/phases.ts';
import { LinkButton } from '../ui/buttons.tsx';
import { keepTiming, secondsPerStep, timingsHere } from './timings.ts';
import classes from './suggestions.module.css';

const TASKS = ['reverse_digits', 'gcd', 'sum_digits'] as const;

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

/** Seconds a step by task: what was kept, and what a run of the usual sizes takes now, which is kept once it rests. */
function useTimings(): ReturnType<typeof timingsHere> {
  const [kept] = useState(timingsHere);
  const config = useApp(({ snapshot }) => snapshot.config);
  const seconds = useApp(({ snapshot }) => secondsPerStep(snapshot));
  const resting = useApp(({ snapshot }) => !isUnderWay(snapshot.phase));
  const usual = config && defaultConfig(config.task);
  const counts =
    config !== null && usual !== null && TIMED.every((key) => sameValue(config[key], usual[key]));
  const task = counts ? config.task : null;
  useEffect(() => {
    if (task !== null && seconds !== null && resting) keepTiming(task, seconds);
  }, [task, seconds, resting]);
  return task === null || seconds === null ? kept : { ...kept, [task]: seconds };
}

export function TryThis(): ReactNode {
  const form = useApp((state) => state.form);
  const free = useApp(({ snapshot }) => !isUnderWay(snapshot.phase));
  const timings = useTimings();
  if (!free) return null;
  return (
    <section className={`panel ${classes.box}`} aria-label="Things to try" data-testid="try-this">
      <div className={classes.cards}>
        {TASKS.map((name) => {
          const task = findTask(name);
          const { numSteps } = defaultConfig(name);
          const each = timings[name];
          return (
            <button
              key={name}
              type="button"
              className={classes.card}
              aria-pressed={form.task === name}
              onClick={() => setTask(name)}
            >
              <b>{task?.title}</b>
              <span className="quiet">
                {plural(numSteps, 'step')},{' '}
                {each === undefined
                  ? 'not timed on this machine yet'
                  : `about ${clock(each * numSteps)} here`}
              </span>
            </button>
          );
        })}
      </div>
      <p className={classes.sentences}>
        You could try:{' '}
        {SUGGESTIONS.map(({ before, words, after, key, value }) => (
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
    </section>
  );
}
