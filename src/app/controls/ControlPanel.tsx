import type { ReactNode } from 'react';
import { AlgorithmSection } from './AlgorithmSection.tsx';
import { FormErrors } from './FormErrors.tsx';
import { LockNote } from './LockNote.tsx';
import { ModelLine } from './ModelLine.tsx';
import { MoreSettings } from './MoreSettings.tsx';
import { RewardRuleChoice } from './RewardRuleChoice.tsx';
import { TaskSection } from './TaskSection.tsx';
import classes from './controls.module.css';

/** Everything that a person decides before pressing Train. */
export function ControlPanel(): ReactNode {
  return (
    <section className={`panel ${classes.controls}`} aria-label="Settings">
      <LockNote />
      <FormErrors />
      <TaskSection />
      <ModelLine />
      <AlgorithmSection />
      <RewardRuleChoice />
      <MoreSettings />
    </section>
  );
}
