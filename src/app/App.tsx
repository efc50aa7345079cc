import { useDocumentTitle } from '@mantine/hooks';
import { Suspense, useEffect, type ReactNode } from 'react';
import { pause } from './actions.ts';
import { MainCharts } from './charts/MainCharts.tsx';
import { MoreCharts } from './charts/MoreCharts.tsx';
import { ControlPanel } from './controls/ControlPanel.tsx';
import { useDrawer } from './controls/drawerStore.ts';
import { EvalCard } from './evaluation/EvalCard.tsx';
import { HowItWorks } from './explain/HowItWorks.tsx';
import { MAIN, SkipLink } from './header/SkipLink.tsx';
import { Tools } from './header/Tools.tsx';
import { openHelp, useHelp } from './help/helpStore.ts';
import { useKept } from './kept/keptStore.ts';
import { MachinesFold } from './machines/MachinesFold.tsx';
import { Notices } from './notices/Notices.tsx';
import { Workbench } from './custom/Workbench.tsx';
import type { PagePart } from './share/classroom.ts';
import { Stage } from './stage/Stage.tsx';
import { DropOverlay } from './transport/DropOverlay.tsx';
import { Transport } from './transport/Transport.tsx';
import { Footer } from './ui/Footer.tsx';
import { isBusy, isUnderWay, PHASE_LABELS } from './transport/phases.ts';
import { useApp, useHidden } from './store.ts';
import { Later } from './ui/Later.tsx';
import { lazyPart } from './ui/lazyPart.tsx';
import { PreflightPanel } from './preflight/PreflightPanel.tsx';
import { trainIfRead } from './preflight/trainBlock.ts';

const ComparePanel = lazyPart(async () => (await import('./compare/ComparePanel.tsx')).ComparePanel);

const EndCard = lazyPart(async () => (await import('./evaluation/EndCard.tsx')).EndCard);

const KeptOffer = lazyPart(async () => (await import('./kept/KeptOffer.tsx')).KeptOffer);

const RecordedBanner = lazyPart(async () => (await import('./recorded/RecordedBanner.tsx')).RecordedBanner);

const TryThis = lazyPart(async () => (await import('./suggestions/TryThis.tsx')).TryThis);

const LessonsPart = lazyPart(async () => (await import('./lessons/LessonsPart.tsx')).LessonsPart);

const RunList = lazyPart(async () => (await import('./kept/RunList.tsx')).RunList);

const SettingsReport = lazyPart(
  async () => (await import('./settingsFile/SettingsReport.tsx')).SettingsReport,
);

const RolloutsPanel = lazyPart(async () => (await import('./rollouts/RolloutsPanel.tsx')).RolloutsPanel);

const InspectorFold = lazyPart(async () => (await import('./inspector/InspectorFold.tsx')).InspectorFold);

const ConnectionQuestion = lazyPart(
  async () => (await import('./connections/ConnectionQuestion.tsx')).ConnectionQuestion,
);

const SettingsDrawer = lazyPart(async () => (await import('./controls/SettingsDrawer.tsx')).SettingsDrawer);

const HelpSheet = lazyPart(async () => (await import('./help/HelpSheet.tsx')).HelpSheet);

const CommandPalette = lazyPart(async () => (await import('./help/CommandPalette.tsx')).CommandPalette);

interface ShownProps {
  readonly part: PagePart;
  readonly children: ReactNode;
}

/** A part of the page below the first view, unless the link that opened it leaves it out. */
function Shown({ part, children }: ShownProps): ReactNode {
  const hidden = useHidden(part);
  const busy = useApp(({ snapshot }) => isBusy(snapshot.phase));
  return hidden ? null : (
    <Later>
      <div className={busy ? 'away spared' : 'away'}>{children}</div>
    </Later>
  );
}

const TITLE = 'RL Playground: a language model learns by reinforcement in your browser';

/**
 * The tab says how far a run is, for whoever looks at another page meanwhile. A leaf of the tree: what listens to the run at its root
 * would have the whole page rendered four times a second.
 */
function TabTitle(): ReactNode {
  const { phase, step, totalSteps } = useApp((state) => state.snapshot);
  const running = isUnderWay(phase) || phase === 'finished' || phase === 'failed';
  useDocumentTitle(running ? `${step}/${totalSteps} ${PHASE_LABELS[phase]} · RL Playground` : TITLE);
  return null;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;

/** Ctrl+Enter (⌘ Enter) presses the green button from anywhere on the page; Ctrl+K and ? open what helps. */
function useShortcuts(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.repeat) return;
      const modified = event.ctrlKey || event.metaKey;
      if (event.key === 'Enter' && modified) {
        event.preventDefault();
        if (isBusy(useApp.getState().snapshot.phase)) pause();
        else trainIfRead();
      } else if (event.key.toLowerCase() === 'k' && modified) {
        event.preventDefault();
        openHelp(useHelp.getState().open === 'commands' ? null : 'commands');
      } else if (event.key === '?' && !modified && !isTyping(event.target)) {
        event.preventDefault();
        openHelp('help');
      }
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

/** The settings, and all that is told of runs. */
function BelowStage(): ReactNode {
  const drawer = useDrawer((state) => state.open);
  const wanted = useDrawer((state) => state.wanted);
  const settingsHidden = useHidden('settings');
  const explainHidden = useHidden('explain');
  return (
    <>
      <ControlPanel />
      <Suspense>{drawer && !settingsHidden && <SettingsDrawer key={wanted} />}</Suspense>
      {!explainHidden && <HowItWorks />}
      <main className="main" id={MAIN} tabIndex={-1}>
        <PreflightPanel />
        <Suspense>
          <EndCard />
          <RecordedBanner />
        </Suspense>
        <MainCharts />
        <Shown part="try">
          <TryThis />
        </Shown>
        <Shown part="lessons">
          <LessonsPart />
        </Shown>
        <Shown part="evaluation">
          <EvalCard />
        </Shown>
        <Shown part="rollouts">
          <RolloutsPanel />
          <InspectorFold />
        </Shown>
        <Shown part="runs">
          <RunList />
          <ComparePanel />
        </Shown>
        <Shown part="charts">
          <MoreCharts />
        </Shown>
        <Shown part="machines">
          <MachinesFold />
        </Shown>
        <Shown part="tools">
          <Workbench />
        </Shown>
      </main>
    </>
  );
}

/** The one screen. */
export function App(): ReactNode {
  useShortcuts();
  const offered = useKept((state) => state.offered);
  const connection = useApp((state) => state.connection);
  const help = useHelp((state) => state.open);
  return (
    <>
      <TabTitle />
      <SkipLink />
      <Transport />
      <Tools />
      <Suspense>{offered && <KeptOffer />}</Suspense>
      <Notices />
      <Suspense>
        <SettingsReport />
      </Suspense>
      <div className="columns">
        <Stage />
        <BelowStage />
      </div>
      <Footer />
      <DropOverlay />
      <Suspense>
        {help === 'help' && <HelpSheet />}
        {help === 'commands' && <CommandPalette />}
      </Suspense>
      <Suspense>{connection !== null && <ConnectionQuestion {...connection} />}</Suspense>
    </>
  );
}
