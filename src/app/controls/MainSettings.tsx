import type { ReactNode } from 'react';
import { plural } from '../../base/text.ts';
import { count } from '../format/format.ts';
import { problemsInStep } from '../../config/stepSizes.ts';
import { useApp } from '../store.ts';
import { LearningRateRules } from './LearningRateRules.tsx';
import { LossChoice } from './LossChoice.tsx';
import { NumberSetting } from './NumberSetting.tsx';
import classes from './controls.module.css';

/** The loss and the few numbers that decide how a run goes. */
export function MainSettings(): ReactNode {
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
      <LearningRateRules />
      <p className={classes.summary}>
        {Number.isFinite(answers)
          ? `${count(problems)} × ${count(form.rolloutsPerProblem)} = ${plural(answers, 'answer')} per step.`
          : 'Answers per step: –'}
      </p>
    </div>
  );
}
