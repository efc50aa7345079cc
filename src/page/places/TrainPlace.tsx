/** The place where a run goes on: its settings, four charts and answers on one screen, and below them what explains it. */
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { MODEL, SETTINGS_FILE, WARM_UP } from './settingsParts.tsx';
import { useEnded } from '../keep/end/ended.ts';
import { useCharts } from '../see/arms/chartsStore.ts';
import { EvalCard } from '../see/evaluation/EvalCard.tsx';
import { MainCharts } from '../see/charts/MainCharts.tsx';
import { LiveAnswers } from '../see/stage/LiveAnswers.tsx';
import { Numbers } from '../see/stage/Numbers.tsx';
import { HowItWorks } from '../learn/explain/HowItWorks.tsx';
import { LockMark } from '../run/controls/LockNote.tsx';
import { ControlPanel } from '../run/controls/ControlPanel.tsx';
import { PreflightPanel } from '../run/preflight/PreflightPanel.tsx';
import { useForm } from '../run/form/formStore.ts';
import { useRun } from '../run/state/runStore.ts';
import { Fold } from '../ui/parts/Fold.tsx';
import { Later } from '../ui/draw/Later.tsx';
import { lazyPart } from '../ui/draw/lazyPart.tsx';
import { showSettings, useOpen } from '../ui/open/openStore.ts';
import { MAIN, PHONE } from '../ui/open/places.ts';
import { SlidersIcon } from '../ui/parts/icons.tsx';
import classes from './train.module.css';

const SettingsDrawer = lazyPart(
  async () => (await import('../run/controls/SettingsDrawer.tsx')).SettingsDrawer,
);
const RecordedAnswers = lazyPart(
  async () => (await import('../learn/recorded/RecordedAnswers.tsx')).RecordedAnswers,
);
const RecordedProblem = lazyPart(
  async () => (await import('../learn/recorded/RecordedAnswers.tsx')).RecordedProblem,
);
const NextStep = lazyPart(async () => (await import('../learn/path/FirstMinutes.tsx')).NextStep);
const EndCard = lazyPart(async () => (await import('../keep/end/EndCard.tsx')).EndCard);
const WatchCard = lazyPart(async () => (await import('../see/stage/WatchCard.tsx')).WatchCard);
const MoreCharts = lazyPart(async () => (await import('../see/charts/MoreCharts.tsx')).MoreCharts);
const MachinesPanel = lazyPart(async () => (await import('../run/machines/MachinesPanel.tsx')).MachinesPanel);

const Showpieces = lazyPart(async () => (await import('../run/model/parts.ts')).Showpieces);

const NEXT = <NextStep />;
const RECORDED = { problem: <RecordedProblem />, answers: <RecordedAnswers /> };

/** The settings, with the drawer of all others beside them while it is open. They fold away, which leaves the room to the charts. */
function Settings(): ReactNode {
  const shown = useOpen((state) => state.settingsShown);
  const drawer = useOpen((state) => state.drawer.open);
  const wanted = useOpen((state) => state.drawer.wanted);
  const hidden = useForm((state) => state.classroom.hidden);
  return (
    <>
      <div className={classes.settings}>
        <div className={`row apart ${classes.bar}`}>
          <button
            type="button"
            className={`bare row ${classes.fold}`}
            aria-expanded={shown}
            onClick={() => showSettings(!shown)}
          >
            <SlidersIcon /> <span>{shown ? 'Hide settings' : 'Settings'}</span>
          </button>
          {shown && <LockMark />}
        </div>
        {shown && <ControlPanel warmUp={WARM_UP} settingsFile={SETTINGS_FILE} model={MODEL} />}
      </div>
      {shown && drawer && !hidden.has('settings') && <SettingsDrawer key={wanted} />}
    </>
  );
}

/** The runs of real models, until there is a run. Their place is kept until they are there, so that nothing moves. */
function OneClick({ phone }: { readonly phone: boolean }): ReactNode {
  const offered = useForm(({ classroom: { hidden, locked } }) => locked.size === 0 && !hidden.has('try'));
  const idle = useRun(
    ({ snapshot: { phase, step, sft } }) =>
      step + sft.losses.length === 0 && (phase === 'idle' || phase === 'loading'),
  );
  if (!offered || !idle) return null;
  const list = (
    <Later>
      <Showpieces />
    </Later>
  );
  return phone ? (
    <div className="panel">
      <Fold title="Real models" note="one press each">
        {list}
      </Fold>
    </div>
  ) : (
    <div className={classes.oneClick}>{list}</div>
  );
}

export function TrainPlace({ reset }: { readonly reset: () => Promise<void> }): ReactNode {
  const shown = useOpen((state) => state.settingsShown);
  const hidden = useForm((state) => state.classroom.hidden);
  const ended = useEnded() !== null;
  const recorded = useCharts((state) => state.recorded !== null);
  const phone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  return (
    <div className={classes.train} data-settings={shown}>
      <Settings />
      <section className={classes.view} id={MAIN} tabIndex={-1} aria-label="Charts and answers">
        <div className={classes.head}>
          {!hidden.has('explain') && <HowItWorks />}
          <OneClick phone={phone} />
        </div>
        {phone ? <Numbers /> : <MainCharts />}
        <div className={classes.pair}>
          {ended ? <EndCard next={NEXT} /> : <WatchCard idle={recorded ? RECORDED.problem : null} />}
          <LiveAnswers idle={recorded ? RECORDED.answers : null} />
        </div>
      </section>
      <div className={classes.below}>
        <PreflightPanel reset={reset} />
        <Later>
          {!hidden.has('evaluation') && <EvalCard />}
          {!hidden.has('charts') && <MoreCharts />}
          {!hidden.has('machines') && <MachinesPanel />}
        </Later>
      </div>
    </div>
  );
}
