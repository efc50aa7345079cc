import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { textOfValue } from '../../config/describe.ts';
import { FIELD_KEYS, RUN_FIELDS, type RunConfig } from '../../config/runFields.ts';
import { setValue } from '../actions.ts';
import { LOSS_SENTENCES, withLoss } from '../lib/lossChoice.ts';
import { fieldOf } from '../lib/settings.ts';
import { useApp } from '../store.ts';
import { FieldLabel } from './FieldLabel.tsx';
import { useField } from './useField.ts';
import classes from './controls.module.css';

/** What else a choice changed, in words; empty where nothing. */
function broughtAlong(before: RunConfig, after: RunConfig): string {
  return FIELD_KEYS.filter((key) => key !== 'loss' && before[key] !== after[key])
    .map((key) => {
      const field = fieldOf(key);
      const value = textOfValue(after[key]);
      const words =
        field.type === 'choice' ? field.choices.find((each) => each.value === value)?.label : undefined;
      return `${field.label} → ${words ?? value}`;
    })
    .join('; ');
}

/** The loss with one sentence on what it does, and what choosing it changed besides. */
export function LossChoice(): ReactNode {
  const form = useApp((state) => state.form);
  const { locked, error } = useField('loss');
  const [also, setAlso] = useState({ loss: form.loss, text: '' });
  const field = fieldOf('loss');
  return (
    <div className={classes.loss}>
      <NativeSelect
        size="xs"
        label={<FieldLabel field={field} help="tooltip" />}
        labelProps={{ component: 'div' }}
        aria-label={field.label}
        data-testid="loss-select"
        value={form.loss}
        disabled={locked}
        error={error}
        data={field.type === 'choice' ? [...field.choices] : []}
        onChange={(event) => {
          const chosen = RUN_FIELDS.loss.schema.options.find((loss) => loss === event.currentTarget.value);
          if (chosen === undefined) return;
          setAlso({ loss: chosen, text: broughtAlong(form, withLoss(form, chosen)) });
          setValue('loss', chosen);
        }}
      />
      <p className={classes.summary}>{LOSS_SENTENCES[form.loss]}</p>
      <p className={classes.summary} role="status">
        {also.loss === form.loss && also.text !== '' && `Also changed: ${also.text}.`}
      </p>
    </div>
  );
}
