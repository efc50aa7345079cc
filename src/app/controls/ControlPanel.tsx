/** Everything that is decided before pressing Train. */
import { useMediaQuery } from '@mantine/hooks';
import { Suspense, type ReactNode } from 'react';
import { plural } from '../../base/text.ts';
import { FIELDS } from '../../config/describe.ts';
import type { FieldKey } from '../../config/schema.ts';
import { problemsInStep } from '../../config/stepSizes.ts';
import { changedKeys, fieldOf } from '../form/settings.ts';
import { count } from '../format/format.ts';
import { LockIcon } from '../icons.tsx';
import { SettingsFileButtons } from '../settingsFile/SettingsFileButtons.tsx';
import { SftSection } from '../sft/SftSection.tsx';
import { useApp, useHidden } from '../store.ts';
import { Fold } from '../ui/Fold.tsx';
import { lazyPart } from '../ui/lazyPart.tsx';
import { LossChoice } from './LossChoice.tsx';
import { ModelSection } from './ModelSection.tsx';
import { NumberSetting } from './Setting.tsx';
import { TaskSection, TaskSettings } from './TaskSection.tsx';
import { useFormErrors, useLock } from './useField.ts';
import classes from './controls.module.css';

const LearningRateRules = lazyPart(async () => (await import('./LearningRateRules.tsx')).LearningRateRules);

const SettingGroups = lazyPart(async () => (await import('./SettingGroups.tsx')).SettingGroups);

const PlanTable = lazyPart(async () => (await import('../plan/PlanTable.tsx')).PlanTable);

/** Below this width the settings stand above the charts instead of beside them. */
const NARROW = '(max-width: 900px)';

/** Settings that have a place of their own on the page. */
const ELSEWHERE: ReadonlySet<FieldKey> = new Set([
  'task',
  'preset',
  'model',
  'loss',
  'taskConfig',
  'mixture',
  'numSteps',
  'learningRate',
  'problemsPerStep',
  'rolloutsPerProblem',
  'numGenerators',
  'warmStartSteps',
  'warmStartLearningRate',
  'warmStartBatch',
  'warmStartData',
]);

/** Why settings can't be changed at the moment. */
function LockNote(): ReactNode {
  const lock = useLock();
  const kept = useApp((state) => state.classroom.locked.size);
  if (lock === 'none' && kept === 0) return null;
  return (
    <p className={classes.lock}>
      <LockIcon />
      <span>
        {lock === 'none'
          ? `The link that opened this page keeps ${kept === FIELDS.length ? 'all settings' : plural(kept, 'setting')} as they are.`
          : lock === 'all'
            ? 'Locked while the model works. Pause to change steps, generators or the evaluation interval.'
            : 'This run uses these settings. Steps, generators and the evaluation interval can change; to change others, start a new run.'}
      </span>
    </p>
  );
}

/** What has to change before training, wherever its setting is folded away. */
function FormErrors(): ReactNode {
  const errors = useFormErrors();
  if (errors.size === 0) return null;
  return (
    <div className={classes.errors} role="alert">
      <b>Can’t train with these settings:</b>
      <ul>
        {[...errors].map(([key, message]) => (
          <li key={key}>
            {fieldOf(key).label}: {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The loss and the few numbers that decide how a run goes. */
function MainSettings(): ReactNode {
  const form = useApp((state) => state.form);
  const problems = problemsInStep(form);
  const answers = problems * form.rolloutsPerProblem;
  return (
    <div className={classes.section}>
      <LossChoice />
      <div className={classes.pair}>
        <NumberSetting name="numSteps" help="tooltip" />
        <NumberSetting name="learningRate" help="tooltip" />
        {!form.oneProblemPerGenerator && <NumberSetting name="problemsPerStep" help="tooltip" />}
        <NumberSetting name="rolloutsPerProblem" help="tooltip" />
        <NumberSetting name="numGenerators" help="tooltip" />
      </div>
      <Suspense fallback={<div className={classes.rulesToCome} />}>
        <LearningRateRules />
      </Suspense>
      <p className={classes.summary}>
        {Number.isFinite(answers)
          ? `${count(problems)} × ${count(form.rolloutsPerProblem)} = ${plural(answers, 'answer')} per step.`
          : 'Answers per step: –'}
      </p>
    </div>
  );
}

/** Every other setting, folded. */
function MoreSettings(): ReactNode {
  const form = useApp((state) => state.form);
  const changed = changedKeys(form).filter((key) => !ELSEWHERE.has(key)).length;
  return (
    <div className={classes.more}>
      <Fold
        title="More settings"
        note={changed > 0 ? `${plural(changed, 'change')}` : 'preset, sampling, optimizer…'}
      >
        <SettingGroups elsewhere={ELSEWHERE} />
      </Fold>
    </div>
  );
}

/** What the run would take of memory, folded. */
function MemoryPlan(): ReactNode {
  return (
    <div className={classes.more}>
      <Fold title="Memory" note="what a run of these settings takes">
        <PlanTable />
      </Fold>
    </div>
  );
}

/** The settings; on a narrow screen all but the task is folded. */
export function ControlPanel(): ReactNode {
  const hidden = useHidden('settings');
  const narrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const details = (
    <>
      <TaskSettings />
      <MainSettings />
      <SftSection />
      {!hidden && (
        <>
          <MoreSettings />
          <MemoryPlan />
          <SettingsFileButtons />
        </>
      )}
    </>
  );
  return (
    <section className={`panel ${classes.controls}`} aria-label="Settings">
      <LockNote />
      <FormErrors />
      <TaskSection />
      <ModelSection />
      {narrow ? (
        <div className={classes.more}>
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
