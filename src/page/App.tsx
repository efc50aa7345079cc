import { useDocumentTitle } from '@mantine/hooks';
import { useEffect, type ReactNode } from 'react';
import { useRun } from './run/state/runStore.ts';
import { useOpen, openHelp } from './ui/open/openStore.ts';
import { pause } from './run/actions/actions.ts';
import { CONTENT } from './ui/open/places.ts';
import { SkipLink } from './ui/parts/SkipLink.tsx';
import { Tools } from './run/header/Tools.tsx';
import { RunTitle } from './keep/kept/KeptRuns.tsx';
import { DropOverlay } from './own/drop/DropOverlay.tsx';
import { trainIfRead } from './run/preflight/trainBlock.ts';
import { Transport } from './run/transport/Transport.tsx';
import { Footer } from './Footer.tsx';
import { isBusy, isUnderWay, PHASE_LABELS } from './run/state/phases.ts';
import { lazyPart } from './ui/draw/lazyPart.tsx';
import { OtherPlace, useOtherPlaces } from './places/OtherPlaces.tsx';
import { PlaceBar } from './places/PlaceBar.tsx';
import { PlacePanel, PlaceTabs, useShownPlace } from './places/PlaceTabs.tsx';
import { TrainPlace } from './places/TrainPlace.tsx';
import classes from './places/places.module.css';
import type { Place } from './ui/open/placeNames.ts';

const ConnectionQuestion = lazyPart(
  async () => (await import('./run/connections/ConnectionQuestion.tsx')).ConnectionQuestion,
);
const HelpSheet = lazyPart(async () => (await import('./learn/help/HelpSheet.tsx')).HelpSheet);
const BenchmarkSheet = lazyPart(
  async () => (await import('./see/benchmark/BenchmarkSheet.tsx')).BenchmarkSheet,
);
const Commands = lazyPart(async () => (await import('./Commands.tsx')).Commands);

/** Resets the run. The code comes with the engine, without which there is nothing to reset. */
async function reset(): Promise<void> {
  const { resetRun } = await import('./keep/kept/keptActions.ts');
  await resetRun();
}

const TITLE = 'RL Playground: a language model learns by reinforcement in your browser';

/** The title of the tab tells how far a run is. It is a leaf of the tree, because the run changes four times a second. */
function TabTitle(): ReactNode {
  const { phase, step, totalSteps } = useRun((state) => state.snapshot);
  const running = isUnderWay(phase) || phase === 'finished' || phase === 'failed';
  useDocumentTitle(running ? `${step}/${totalSteps} ${PHASE_LABELS[phase]} · RL Playground` : TITLE);
  return null;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;

/** Ctrl+Enter (⌘ Enter) presses the green button from anywhere on the page. Ctrl+K lists the commands, and ? opens the help. */
function useShortcuts(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.repeat) return;
      const modified = event.ctrlKey || event.metaKey;
      if (event.key === 'Enter' && modified) {
        event.preventDefault();
        if (isBusy(useRun.getState().snapshot.phase)) pause();
        else trainIfRead();
      } else if (event.key.toLowerCase() === 'k' && modified) {
        event.preventDefault();
        openHelp(useOpen.getState().help === 'commands' ? null : 'commands');
      } else if (event.key === '?' && !modified && !isTyping(event.target)) {
        event.preventDefault();
        openHelp('help');
      }
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

export function App(): ReactNode {
  useShortcuts();
  const connection = useOpen((state) => state.connection);
  const help = useOpen((state) => state.help);
  const others = useOtherPlaces();
  const places: readonly Place[] = ['train', ...others];
  useShownPlace(places);
  return (
    <>
      <TabTitle />
      <SkipLink />
      <PlaceTabs places={places}>
        <Transport reset={reset} RunTitle={RunTitle} />
        <Tools />
        <main id={CONTENT} tabIndex={-1} className={classes.content}>
          <PlaceBar />
          <PlacePanel place="train">
            <TrainPlace reset={reset} />
          </PlacePanel>
          {others.map((place) => (
            <PlacePanel key={place} place={place}>
              <OtherPlace place={place} />
            </PlacePanel>
          ))}
        </main>
      </PlaceTabs>
      <Footer />
      <DropOverlay />
      {help === 'help' && <HelpSheet />}
      {help === 'commands' && <Commands />}
      {help === 'benchmark' && <BenchmarkSheet />}
      {connection !== null && <ConnectionQuestion {...connection} />}
    </>
  );
}
