/** The panel of everything that is decided before pressing Train. */
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { problemsInStep } from '@rl-playground/run/settings';
import { changedKeys } from '../form/settings.ts';
import { count } from '../../ui/text/format.ts';
import { SlidersIcon } from '../../ui/parts/icons.tsx';
import { Fold } from '../../ui/parts/Fold.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { DRAWER_ID, NARROW } from '../../ui/open/places.ts';
import { useOpen, closeDrawer, openDrawer } from '../../ui/open/openStore.ts';
import { useForm, useHidden } from '../form/formStore.ts';
import { placedElsewhere } from './settingPlaces.ts';
import { LockNote } from './LockNote.tsx';
import { LossChoice } from './LossChoice.tsx';
import { ModelSection, type ModelSectionProps } from './ModelSection.tsx';
import { NumberSetting } from './Setting.tsx';
import { TaskSection, TaskSettings } from './TaskSection.tsx';
import fold from '../../ui/parts/Fold.module.css';
import classes from './controls.module.css';

const LearningRateRules = lazyPart(
  async () => (await import('./LearningRateRules.tsx')).LearningRateRules,
  // As high as the buttons that come.
  () => <div style={{ height: 22 }} />,
);

const PlanTable = lazyPart(async () => (await import('../plan/PlanTable.tsx')).PlanTable);

/** The loss and the main numbers of a run. */
function MainSettings(): ReactNode {
  const form = useForm((state) => state.form);
  const problems = problemsInStep(form);
  const asks = form.oneProblemPerGenerator ? 'numGenerators' : 'problemsPerStep';
  const answers = problems * form.rolloutsPerProblem;
  return (
    <div className={classes.section}>
      <LossChoice />
      <div className={classes.pair}>
        <NumberSetting name="numSteps" help="tooltip" />
        <NumberSetting name="learningRate" help="tooltip" />
      </div>
      <div className={classes.pair}>
        <NumberSetting key={asks} name={asks} help="tooltip" />
        <NumberSetting name="rolloutsPerProblem" help="tooltip" />
      </div>
      <LearningRateRules />
      <p className="quiet">
        {Number.isFinite(answers)
          ? `${count(problems)} × ${count(form.rolloutsPerProblem)} = ${plural(answers, 'answer')} per step.`
          : 'Answers per step: –'}
      </p>
    </div>
  );
}

/** The button that opens and closes the drawer of all other settings. */
function MoreSettings(): ReactNode {
  const form = useForm((state) => state.form);
  const open = useOpen((state) => state.drawer.open);
  const elsewhere = placedElsewhere(form);
  const changed = changedKeys(form).filter((key) => !elsewhere.has(key)).length;
  return (
    <div className={classes.more}>
      <button
        type="button"
        className={`bare ${fold.summary}`}
        style={{ width: '100%' }}
        aria-expanded={open}
        aria-controls={open ? DRAWER_ID : undefined}
        onClick={() => (open ? closeDrawer() : openDrawer())}
      >
        <span className={fold.chevron}>
          <SlidersIcon />
        </span>
        <span className={fold.title}>More settings</span>
        <span className="quiet">
          {changed > 0 ? plural(changed, 'change') : 'preset, sampling, optimizer…'}
        </span>
      </button>
    </div>
  );
}

interface ControlPanelProps {
  readonly warmUp: ReactNode;
  readonly settingsFile: ReactNode;
  readonly model: ModelSectionProps;
}

/** The panel of settings. On a narrow screen everything but the task is folded. */
export function ControlPanel({ warmUp, settingsFile, model }: ControlPanelProps): ReactNode {
  const hidden = useHidden('settings');
  const narrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const details = (
    <>
      {narrow && <TaskSettings />}
      <MainSettings />
      {warmUp}
      {!narrow && <ModelSection {...model} />}
      {!hidden && (
        <>
          <MoreSettings />
          <div className={classes.more}>
            <Fold title="Memory" note="what a run of these settings takes">
              <PlanTable />
            </Fold>
          </div>
          {settingsFile}
        </>
      )}
    </>
  );
  return (
    <section className={`panel ${classes.controls}`} aria-label="Settings">
      <LockNote withMark={!narrow} />
      <TaskSection />
      {narrow ? <ModelSection {...model} /> : <TaskSettings />}
      {narrow ? (
        <div className={classes.more} data-settings-fold>
          <Fold title="Settings" note="loss, steps, reward…">
            <div className={classes.folded}>{details}</div>
          </Fold>
        </div>
      ) : (
        details
      )}
    </section>
  );
}
