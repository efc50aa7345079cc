import { useDocumentTitle } from '@mantine/hooks';
import { useEffect, type ComponentType, type ReactNode } from 'react';
import { useForm } from './run/form/formStore.ts';
import { useRun } from './run/state/runStore.ts';
import { useIsOpen, useOpen, openHelp } from './ui/open/openStore.ts';
import { pause } from './run/actions/actions.ts';
import { MainCharts } from './see/charts/MainCharts.tsx';
import { ControlPanel } from './run/controls/ControlPanel.tsx';
import { MAIN } from './ui/open/places.ts';
import { EvalCard } from './see/evaluation/EvalCard.tsx';
import { HowItWorks } from './learn/explain/HowItWorks.tsx';
import { SkipLink } from './ui/parts/SkipLink.tsx';
import { Tools } from './run/header/Tools.tsx';
import { ModelFiles } from './keep/export/ModelFiles.tsx';
import { KeptRuns, RunTitle } from './keep/kept/KeptRuns.tsx';
import { SettingsFileButtons } from './keep/settingsFile/SettingsFileButtons.tsx';
import { SftSection } from './own/sft/SftSection.tsx';
import { Notices } from './run/notices/Notices.tsx';
import { Workbench } from './own/workbench/Workbench.tsx';
import type { PagePart } from './run/address/classroom.ts';
import { Stage } from './see/stage/Stage.tsx';
import { DropOverlay } from './own/drop/DropOverlay.tsx';
import { trainIfRead } from './run/preflight/trainBlock.ts';
import { Transport } from './run/transport/Transport.tsx';
import { Footer } from './Footer.tsx';
import { isBusy, isUnderWay, PHASE_LABELS } from './run/state/phases.ts';
import { Later } from './ui/draw/Later.tsx';
import { lazyPart } from './ui/draw/lazyPart.tsx';
import { PreflightPanel } from './run/preflight/PreflightPanel.tsx';

const ComparePanel = lazyPart(async () => (await import('./keep/compare/ComparePanel.tsx')).ComparePanel);
const EndCard = lazyPart(async () => (await import('./keep/end/EndCard.tsx')).EndCard);
const KeptOffer = lazyPart(async () => (await import('./keep/list/KeptOffer.tsx')).KeptOffer);
const RecordedBanner = lazyPart(
  async () => (await import('./learn/recorded/RecordedBanner.tsx')).RecordedBanner,
);
const TryThis = lazyPart(async () => (await import('./learn/suggestions/TryThis.tsx')).TryThis);
const LessonsPart = lazyPart(async () => (await import('./learn/lessons/LessonsPart.tsx')).LessonsPart);
const RunList = lazyPart(async () => (await import('./keep/list/RunList.tsx')).RunList);
const RolloutsPanel = lazyPart(async () => (await import('./see/rollouts/RolloutsPanel.tsx')).RolloutsPanel);
const MoreCharts = lazyPart(async () => (await import('./see/charts/MoreCharts.tsx')).MoreCharts);
const MachinesPanel = lazyPart(async () => (await import('./run/machines/MachinesPanel.tsx')).MachinesPanel);
const InspectorPanel = lazyPart(
  async () => (await import('./see/inspector/InspectorPanel.tsx')).InspectorPanel,
);
const ConnectionQuestion = lazyPart(
  async () => (await import('./run/connections/ConnectionQuestion.tsx')).ConnectionQuestion,
);
const SettingsDrawer = lazyPart(
  async () => (await import('./run/controls/SettingsDrawer.tsx')).SettingsDrawer,
);
const HelpSheet = lazyPart(async () => (await import('./learn/help/HelpSheet.tsx')).HelpSheet);
const Commands = lazyPart(async () => (await import('./Commands.tsx')).Commands);
const AlarmBody = lazyPart(async () => (await import('./keep/alarms/AlarmBody.tsx')).AlarmBody);

/** Resets the run. The code comes with the engine, without which there is nothing to reset. */
async function reset(): Promise<void> {
  const { resetRun } = await import('./keep/kept/keptActions.ts');
  await resetRun();
}

/** The parts that wings on the right give to the settings. They are made once, so that they are drawn again only where they change. */
const WARM_UP = <SftSection />;
const SETTINGS_FILE = <SettingsFileButtons />;
const MODEL = { files: <ModelFiles />, runs: <KeptRuns /> };

/** The parts of the page below the first view, which the link that opened it may leave out. */
const BELOW: readonly (readonly [PagePart, ...ComponentType[]])[] = [
  ['try', TryThis],
  ['lessons', LessonsPart],
  ['evaluation', EvalCard],
  ['rollouts', RolloutsPanel, InspectorPanel],
  ['runs', RunList, ComparePanel],
  ['charts', MoreCharts],
  ['machines', MachinesPanel],
  ['tools', Workbench],
];

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

function BelowStage(): ReactNode {
  const drawer = useOpen((state) => state.drawer.open);
  const wanted = useOpen((state) => state.drawer.wanted);
  const hidden = useForm((state) => state.classroom.hidden);
  const below = BELOW.flatMap(([part, ...parts]) => (hidden.has(part) ? [] : parts));
  return (
    <>
      <ControlPanel warmUp={WARM_UP} settingsFile={SETTINGS_FILE} model={MODEL} />
      {drawer && !hidden.has('settings') && <SettingsDrawer key={wanted} />}
      {!hidden.has('explain') && <HowItWorks />}
      <main className="main" id={MAIN} tabIndex={-1}>
        <PreflightPanel reset={reset} />
        <EndCard />
        <RecordedBanner />
        <MainCharts />
        <Later>
          {below.map((Part, i) => (
            <Part key={i} />
          ))}
        </Later>
      </main>
    </>
  );
}

export function App(): ReactNode {
  useShortcuts();
  const offered = useIsOpen('keptOffer');
  const connection = useOpen((state) => state.connection);
  const help = useOpen((state) => state.help);
  return (
    <>
      <TabTitle />
      <SkipLink />
      <Transport reset={reset} RunTitle={RunTitle} />
      <Tools />
      {offered && <KeptOffer />}
      <Notices AlarmBody={AlarmBody} />
      <div className="columns">
        <Stage />
        <BelowStage />
      </div>
      <Footer />
      <DropOverlay />
      {help === 'help' && <HelpSheet />}
      {help === 'commands' && <Commands />}
      {connection !== null && <ConnectionQuestion {...connection} />}
    </>
  );
}
