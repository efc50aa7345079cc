import { Radio } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RewardRule } from '../../tasks/types.ts';
import { REWARD_RULES } from '../../tasks/types.ts';
import { setValue } from '../actions.ts';
import { fieldOf } from '../lib/settings.ts';
import { useApp } from '../store.ts';
import { useField } from './useField.ts';
import classes from './controls.module.css';

const MEANINGS: Readonly<Record<RewardRule, string>> = {
  tag_required:
    '+1 only if the number is right and the text contains [ANSWER]; −1 otherwise. Teaches the format too.',
  correct_only:
    '+1 if the number is right, however it is written; −1 otherwise. The format is left to chance.',
};

/** Both definitions of a good answer, side by side. */
export function RewardRuleChoice(): ReactNode {
  const rule = useApp((state) => state.form.rewardRule);
  const { locked } = useField('rewardRule');
  const field = fieldOf('rewardRule');
  const labels = new Map(
    field.type === 'choice' ? field.choices.map((each) => [each.value, each.label]) : [],
  );
  return (
    <div className={classes.section}>
      <Radio.Group
        label={<span className={classes.label}>{field.label}</span>}
        value={rule}
        onChange={(value) => setValue('rewardRule', value)}
      >
        <div className={classes.rules}>
          {REWARD_RULES.map((value) => (
            <Radio
              key={value}
              size="xs"
              value={value}
              disabled={locked}
              label={labels.get(value) ?? value}
              description={MEANINGS[value]}
              classNames={{ label: classes.ruleLabel, description: classes.ruleMeaning }}
            />
          ))}
        </div>
      </Radio.Group>
    </div>
  );
}
