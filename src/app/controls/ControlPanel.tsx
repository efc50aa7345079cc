import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { SettingsFileButtons } from '../settingsFile/SettingsFileButtons.tsx';
import { Fold } from '../ui/Fold.tsx';
import { SftSection } from '../sft/SftSection.tsx';
import { MainSettings } from './MainSettings.tsx';
import { FormErrors } from './FormErrors.tsx';
import { LockNote } from './LockNote.tsx';
import { ModelLine } from './ModelLine.tsx';
import { MoreSettings } from './MoreSettings.tsx';
import { TaskSettings } from './TaskSettings.tsx';
import { TaskSection } from './TaskSection.tsx';
import classes from './controls.module.css';

/** Below this width the settings stand above the charts instead of beside them. */
const NARROW = '(max-width: 900px)';

/** Everything that a person decides before pressing Train. On a narrow screen all but the task is folded. */
export function ControlPanel(): ReactNode {
  const narrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const details = (
    <>
      <TaskSettings />
      <MainSettings />
      <SftSection />
      <MoreSettings />
      <SettingsFileButtons />
    </>
  );
  return (
    <section className={`panel ${classes.controls}`} aria-label="Settings">
      <LockNote />
      <FormErrors />
      <TaskSection />
      <ModelLine />
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
