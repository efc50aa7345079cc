/** The commands of the palette: actions, places of the page, settings. */
import { useMantineColorScheme } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { NEXT_SCHEME, SCHEME_NAMES } from './ui/style/theme.ts';
import { FIELDS, type FieldKey } from '@rl-playground/run/settings';
import { useForm } from './run/form/formStore.ts';
import { useRun } from './run/state/runStore.ts';
import { openHelp, showPlace } from './ui/open/openStore.ts';
import { pause, stop } from './run/actions/actions.ts';
import { toggleNotifying } from './run/actions/notify.ts';
import { controlOf, placedElsewhere, showSetting } from './run/controls/settingPlaces.ts';
import { exportWays } from './keep/export/ways.ts';
import { formErrors } from './run/form/settings.ts';
import { isShown } from './run/form/shown.ts';
import { stepIfRead, trainIfRead } from './run/preflight/trainBlock.ts';
import { runSeeds, SEED_COUNTS } from './keep/compare/compareActions.ts';
import { canStart, isBusy, isStoppable, isUnderWay } from './run/state/phases.ts';
import { openFolder } from './own/drop/takeFiles.ts';
import { CommandPalette, type Command } from './learn/help/CommandPalette.tsx';
import { goTo } from './ui/open/places.ts';
import { PLACE_NAMES, PLACES } from './ui/open/placeNames.ts';

/** The settings that are visible now or in the drawer. */
function settingCommands(): readonly Command[] {
  const { form, classroom } = useForm.getState();
  const elsewhere = placedElsewhere(form);
  const errors = formErrors(form);
  const isReached = (key: FieldKey): boolean =>
    controlOf(key) !== null ||
    (!classroom.hidden.has('settings') && !elsewhere.has(key) && isShown(form, key, errors));
  return FIELDS.filter(({ key }) => isReached(key)).map(({ key, label }) => ({
    id: `setting ${key}`,
    label,
    where: 'setting',
    act: () => showSetting(key),
  }));
}

/** A command for each place, and for each titled part of the one that is shown. */
function placeCommands(): readonly Command[] {
  const places = PLACE_NAMES.map((place) => ({
    id: `to ${place}`,
    label: `Go to ${PLACES[place].title}`,
    where: 'place',
    act: () => showPlace(place),
  }));
  const shown = document.querySelectorAll<HTMLElement>('main h2:not(summary h2), main summary');
  const titles = [...shown].filter((title) => title.checkVisibility());
  const parts = titles.flatMap((title, i) => {
    // A fold's summary: its mark, its title, a note.
    const text = (title.matches('summary') ? title.children[1] : title)?.textContent.trim() ?? '';
    return text === ''
      ? []
      : [{ id: `part ${i}`, label: `Go to ${text}`, where: 'on this place', act: () => goTo(title) }];
  });
  return [...places, ...parts];
}

/** The ways of the Export menu, which may be far from where somebody looks at results. */
function exportCommands(startable: boolean): readonly Command[] {
  return exportWays(useRun.getState().snapshot, null)
    .filter(({ usable, always }) => usable && (startable || always))
    .map(({ testId, name, act }) => ({
      id: testId,
      label: name,
      where: 'export',
      act,
      // The clipboard is open to a press alone.
      ...(testId === 'link-button' && { atPress: true as const }),
    }));
}

function commandsNow(scheme: Pick<Command, 'label' | 'act'>): readonly Command[] {
  const { snapshot } = useRun.getState();
  const { classroom } = useForm.getState();
  const busy = isBusy(snapshot.phase);
  const startable = canStart(snapshot);
  const only = (holds: boolean, ...commands: readonly Command[]): readonly Command[] =>
    holds ? commands : [];
  return [
    ...only(startable, { id: 'train', label: 'Train', where: 'start or continue', act: trainIfRead }),
    ...only(busy, { id: 'pause', label: 'Pause', where: 'after this step', act: pause }),
    ...only(startable && snapshot.phase !== 'finished', {
      id: 'step',
      label: 'Step',
      where: 'exactly one update',
      act: stepIfRead,
    }),
    ...only(isStoppable(snapshot.phase), {
      id: 'stop',
      label: 'Stop',
      where: 'end the run and evaluate',
      act: stop,
    }),
    ...only(
      startable && !isUnderWay(snapshot.phase) && !classroom.locked.has('seed'),
      ...SEED_COUNTS.map((count) => ({
        id: `seeds ${count}`,
        label: `Run ${count} seeds`,
        where: 'one after another, with their mean and its 95% interval',
        act: () => void runSeeds(count),
      })),
    ),
    {
      id: 'search',
      label: 'Search all metrics',
      where: 'charts',
      act: () => {
        showPlace('train');
        const field = document.querySelector<HTMLElement>('[data-testid="metric-search"]');
        if (field !== null) goTo(field);
      },
    },
    {
      id: 'folder',
      label: 'Open a folder…',
      where: 'of a run, a model, an adapter or a sweep',
      act: openFolder,
      atPress: true,
    },
    ...exportCommands(startable),
    { id: 'scheme', where: 'page', ...scheme },
    {
      id: 'notify',
      label: 'Notification when a run is done: on or off',
      where: 'page',
      act: () => void toggleNotifying(),
      atPress: true,
    },
    { id: 'help', label: 'Help', where: 'keys, and what is where', act: () => openHelp('help') },
    {
      id: 'benchmark',
      label: 'Benchmark this machine',
      where: 'page',
      act: () => openHelp('benchmark'),
    },
    ...placeCommands(),
    ...settingCommands(),
  ];
}

export function Commands(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = NEXT_SCHEME[colorScheme];
  const commands = useMemo(
    () => commandsNow({ label: `Colours: ${SCHEME_NAMES[next]}`, act: () => setColorScheme(next) }),
    [next, setColorScheme],
  );
  return <CommandPalette commands={commands} />;
}
