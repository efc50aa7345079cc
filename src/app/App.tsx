import { useDocumentTitle } from '@mantine/hooks';
import { Suspense, useEffect, type ReactNode } from 'react';
import { pause, train } from './actions.ts';
import { MainCharts } from './charts/MainCharts.tsx';
import { MoreCharts } from './charts/MoreCharts.tsx';
import { ControlPanel } from './controls/ControlPanel.tsx';
import { EvalCard } from './evaluation/EvalCard.tsx';
import { HowItWorks } from './explain/HowItWorks.tsx';
import { Header } from './header/Header.tsx';
import { useKept } from './kept/keptStore.ts';
import { Notices } from './notices/Notices.tsx';
import { Workbench } from './custom/Workbench.tsx';
import { Stage } from './stage/Stage.tsx';
import { DropOverlay } from './transport/DropOverlay.tsx';
import { Transport } from './transport/Transport.tsx';
import { Footer } from './ui/Footer.tsx';
import { isBusy, isUnderWay, PHASE_LABELS } from './transport/phases.ts';
import { useApp } from './store.ts';
import { lazyPart } from './ui/lazyPart.tsx';

const ComparePanel = lazyPart(async () => (await import('./compare/ComparePanel.tsx')).ComparePanel);

const EndCard = lazyPart(async () => (await import('./evaluation/EndCard.tsx')).EndCard);

const KeptOffer = lazyPart(async () => (await import('./kept/KeptOffer.tsx')).KeptOffer);

const RecordedBanner = lazyPart(async () => (await import('./recorded/RecordedBanner.tsx')).RecordedBanner);

const TryThis = lazyPart(async () => (await import('./suggestions/TryThis.tsx')).TryThis);

const RunList = lazyPart(async () => (await import('./kept/RunList.tsx')).RunList);

const SettingsReport = lazyPart(
  async () => (await import('./settingsFile/SettingsReport.tsx')).SettingsReport,
);

const RolloutsPanel = lazyPart(async () => (await import('./rollouts/RolloutsPanel.tsx')).RolloutsPanel);

const PreflightPanel = lazyPart(async () => (await import('./preflight/PreflightPanel.tsx')).PreflightPanel);

const AgreementPanel = lazyPart(async () => (await import('./agreement/AgreementPanel.tsx')).AgreementPanel);

const ConnectionQuestion = lazyPart(
  async () => (await import('./connections/ConnectionQuestion.tsx')).ConnectionQuestion,
);

const TITLE = 'RL Playground: a language model learns by reinforcement in your browser';

/** The tab says how far a run is, for whoever looks at another page meanwhile. */
function useTitle(): void {
  const { phase, step, totalSteps } = useApp((state) => state.snapshot);
  const running = isUnderWay(phase) || phase === 'finished' || phase === 'failed';
  useDocumentTitle(running ? `${step}/${totalSteps} ${PHASE_LABELS[phase]} · RL Playground` : TITLE);
}

/** Ctrl+Enter (⌘ Enter) presses the green button from anywhere on the page. */
function useShortcut(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
      event.preventDefault();
      if (isBusy(useApp.getState().snapshot.phase)) pause();
      else train();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

/** The one screen. */
export function App(): ReactNode {
  useShortcut();
  useTitle();
  const offered = useKept((state) => state.offered);
  const connection = useApp((state) => state.connection);
  return (
    <div className="page">
      <Header />
      <Transport />
      <Suspense>{offered && <KeptOffer />}</Suspense>
      <Notices />
      <Suspense>
        <SettingsReport />
      </Suspense>
      <div className="columns">
        <Stage />
        <ControlPanel />
        <HowItWorks />
        <main className="main">
          <Suspense>
            <PreflightPanel />
            <EndCard />
            <RecordedBanner />
          </Suspense>
          <MainCharts />
          <Suspense>
            <TryThis />
          </Suspense>
          <EvalCard />
          <Suspense>
            <RunList />
            <ComparePanel />
          </Suspense>
          <Suspense>
            <AgreementPanel />
          </Suspense>
          <MoreCharts />
          <Suspense>
            <RolloutsPanel />
          </Suspense>
          <Workbench />
        </main>
      </div>
      <Footer />
      <DropOverlay />
      <Suspense>{connection !== null && <ConnectionQuestion {...connection} />}</Suspense>
    </div>
  );
}
