/** First runs to choose from, and changes of the settings that are worth a try. */
import type { ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { defaultConfig, type PresetName } from '@rl-playground/run/settings';
import { findTask } from '@rl-playground/tasks/parts';
import { setTask } from '../../run/actions/actions.ts';
import { showSetting } from '../../run/controls/settingPlaces.ts';
import { isUnderWay } from '../../run/state/phases.ts';
import { ChoiceCard } from '../../ui/parts/buttons.tsx';
import { useForm, changeForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import boxes from '../../ui/style/boxes.module.css';
import { SUGGESTIONS, withSuggestion } from './suggestions.ts';

const TASKS: readonly { readonly task: string; readonly note?: string }[] = [
  { task: 'reverse_digits' },
  { task: 'spell_backward' },
  { task: 'sum_digits' },
  { task: 'gcd', note: 'It finds a shortcut: right answers by guessing' },
];

const PRESETS: readonly { readonly task: string; readonly preset: PresetName; readonly title: string }[] = [
  { task: 'reverse_digits', preset: 'monarch-digits', title: 'Preset: Monarch digits' },
  { task: 'tinker_arithmetic', preset: 'tinker-rl-basic', title: 'Preset: Tinker rl_basic' },
];

const stepsOf = (task: string, preset: PresetName): string =>
  plural(defaultConfig(task, preset).numSteps, 'step');

export function TryThis(): ReactNode {
  const form = useForm((state) => state.form);
  const locked = useForm((state) => state.classroom.locked);
  const free = useRun(({ snapshot }) => !isUnderWay(snapshot.phase));
  const suggestions = SUGGESTIONS.filter(({ keys }) => keys.every((key) => !locked.has(key)));
  if (!free || (locked.has('task') && suggestions.length === 0)) return null;
  const isChosen = (task: string, preset: PresetName): boolean =>
    form.task === task && form.preset === preset;
  return (
    <section className={`panel padded ${boxes.cards}`} aria-label="Things to try" data-testid="try-this">
      {!locked.has('task') &&
        TASKS.map(({ task, note }) => (
          <ChoiceCard
            key={task}
            title={findTask(task)?.title ?? task}
            note={note ?? stepsOf(task, 'default')}
            aria-pressed={isChosen(task, 'default')}
            onClick={() => setTask(task)}
          />
        ))}
      {locked.size === 0 &&
        PRESETS.map(({ task, preset, title }) => (
          <ChoiceCard
            key={preset}
            title={title}
            note={stepsOf(task, preset)}
            aria-pressed={isChosen(task, preset)}
            onClick={() => changeForm(() => defaultConfig(task, preset))}
          />
        ))}
      {suggestions.map((suggestion) => (
        <ChoiceCard
          key={suggestion.title}
          title={suggestion.title}
          note={suggestion.note}
          onClick={() => {
            changeForm((now) => withSuggestion(now, suggestion));
            showSetting(suggestion.keys[0]);
          }}
        />
      ))}
    </section>
  );
}
