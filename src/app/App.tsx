import type { ReactNode } from 'react';
import { MainCharts } from './charts/MainCharts.tsx';
import { MoreCharts } from './charts/MoreCharts.tsx';
import { ControlPanel } from './controls/ControlPanel.tsx';
import { EvalCard } from './evaluation/EvalCard.tsx';
import { Explainer } from './explain/Explainer.tsx';
import { LoopStrip } from './explain/LoopStrip.tsx';
import { Header } from './header/Header.tsx';
import { Notices } from './notices/Notices.tsx';
import { RolloutsPanel } from './rollouts/RolloutsPanel.tsx';
import { Workbench } from './custom/Workbench.tsx';
import { SettingsReport } from './settingsFile/SettingsReport.tsx';
import { DropOverlay } from './transport/DropOverlay.tsx';
import { Transport } from './transport/Transport.tsx';
import { Footer } from './ui/Footer.tsx';
import { useShortcut } from './useShortcut.ts';
import { useTitle } from './useTitle.ts';

/** The one screen. */
export function App(): ReactNode {
  useShortcut();
  useTitle();
  return (
    <div className="page">
      <Header />
      <Transport />
      <Notices />
      <SettingsReport />
      <div className="columns">
        <ControlPanel />
        <main className="main">
          <section className="panel" aria-label="How it works">
            <LoopStrip />
            <Explainer />
          </section>
          <MainCharts />
          <EvalCard />
          <MoreCharts />
          <RolloutsPanel />
          <Workbench />
        </main>
      </div>
      <Footer />
      <DropOverlay />
    </div>
  );
}
