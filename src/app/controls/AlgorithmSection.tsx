import { SegmentedControl } from '@mantine/core';
import { useId } from 'react';
import type { ReactNode } from 'react';
import { problemsInStep } from '../../config/schema.ts';
import { setValue } from '../actions.ts';
import { count, plural } from '../lib/format.ts';
import { fieldOf } from '../lib/settings.ts';
import { useApp } from '../store.ts';
import { NumberSetting } from './NumberSetting.tsx';
import { useField } from './useField.ts';
import classes from './controls.module.css';

const IDEAS = {
  grpo: 'Answers to the same problem are compared with each other.',
  reinforce: 'Each answer is compared with a baseline over many problems.',
} as const;

function Algorithm(): ReactNode {
  const labelId = useId();
  const form = useApp((state) => state.form);
  const { locked } = useField('algorithm');
  const field = fieldOf('algorithm');
  return (
    <div>
      <span id={labelId} className={classes.label}>
        {field.label}
      </span>
      <SegmentedControl
        fullWidth
        size="xs"
        my={4}
        aria-labelledby={labelId}
        disabled={locked}
        value={form.algorithm}
        onChange={(value) => setValue('algorithm', value)}
        data={field.type === 'choice' ? [...field.choices] : []}
      />
      <p className={classes.summary}>{IDEAS[form.algorithm]}</p>
    </div>
  );
}

/** The algorithm and the few numbers that decide how a run goes. */
export function AlgorithmSection(): ReactNode {
  const form = useApp((state) => state.form);
  const problems = problemsInStep(form);
  const answers = problems * form.rolloutsPerProblem;
  return (
    <div className={classes.section}>
      <Algorithm />
      <div className={classes.pair}>
        <NumberSetting name="numSteps" help="tooltip" />
        <NumberSetting name="learningRate" help="tooltip" />
        {!form.oneProblemPerGenerator && <NumberSetting name="problemsPerStep" help="tooltip" />}
        <NumberSetting name="rolloutsPerProblem" help="tooltip" />
        <NumberSetting name="numGenerators" help="tooltip" />
      </div>
      <p className={classes.summary}>
        {Number.isFinite(answers)
          ? `${count(problems)} × ${count(form.rolloutsPerProblem)} = ${plural(answers, 'answer')} per step.`
          : 'Answers per step: –'}
      </p>
    </div>
  );
}
