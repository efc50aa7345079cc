/** The first five minutes: five things that show what this page is for, each ticked once it is done. This browser remembers them. */
import { showSetting } from '../../run/controls/settingPlaces.ts';
import { changeForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { remember, remembered } from '../../ui/files/remember.ts';
import { noteDeed, showPlace, useOpen, type Deed } from '../../ui/open/openStore.ts';
import { showAsk } from '../../ui/open/places.ts';
import { SUGGESTIONS, withSuggestion } from '../suggestions/suggestions.ts';

export interface PathStep {
  readonly deed: Deed;
  readonly title: string;
  readonly what: string;
  /** Leads to where it is done. */
  readonly go: () => void;
}

function suggestRuin(): void {
  const [ruin] = SUGGESTIONS;
  if (ruin === undefined) return;
  changeForm((form) => withSuggestion(form, ruin));
  showSetting(ruin.keys[0]);
}

export const PATH: readonly PathStep[] = [
  {
    deed: 'run',
    title: 'Run it',
    what: 'Press Train, and see how many held-out problems the model gets right before and after.',
    go: () => showPlace('train'),
  },
  {
    deed: 'break',
    title: 'Break it',
    what: 'Train with 30 times the learning rate. An alarm names what goes wrong.',
    go: suggestRuin,
  },
  {
    deed: 'mend',
    title: 'Mend it',
    what: 'Press “Go back and apply this” in the alarm. The run continues from its last sound step.',
    go: () => showPlace('train'),
  },
  {
    deed: 'ask',
    title: 'Ask it',
    what: 'Give the model a problem of your own, and compare its answers before training and now.',
    go: showAsk,
  },
  {
    deed: 'lesson',
    title: 'Predict it',
    what: 'Take the first lesson: predict what a run will show, run it, and find out.',
    go: () => showPlace('learn'),
  },
];

/** The first step that is not done yet; undefined once all are. */
export const nextOf = (deeds: ReadonlySet<Deed>): PathStep | undefined =>
  PATH.find(({ deed }) => !deeds.has(deed));

const KEY = 'rl-playground-first-minutes';

/** Notes what is done from now on. A run is mended once it goes on without its alarm. */
export function followPath(): void {
  const before = (remembered(KEY) ?? '').split(',');
  noteDeed(...PATH.flatMap(({ deed }) => (before.includes(deed) ? [deed] : [])));
  useOpen.subscribe(({ deeds }, last) => {
    if (deeds !== last.deeds) remember(KEY, [...deeds].join(','));
  });
  let alarmed = false;
  useRun.subscribe(({ snapshot: { phase, notices, step } }) => {
    const alarm = notices.some(({ kind }) => kind === 'collapse');
    if (phase === 'finished') noteDeed('run');
    // A lesson may end under an alarm, and nobody has broken anything then.
    const own = useOpen.getState().place === 'train';
    if (alarm && own) noteDeed('break');
    if (own && alarmed && !alarm && phase === 'training' && step > 0) noteDeed('mend');
    alarmed = alarm || (alarmed && phase !== 'training');
  });
}
