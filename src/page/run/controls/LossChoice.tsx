import { NativeSelect } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import {
  textOfValue,
  sameValue,
  FIELD_KEYS,
  RUN_FIELDS,
  type FieldKey,
  type RunConfig,
} from '@rl-playground/run/settings';
import { LOSSES } from '@rl-playground/engine/parts';
import { setValue } from '../actions/actions.ts';
import { withLoss } from '../form/formChanges.ts';
import { fieldOf } from '../form/settings.ts';
import { useField } from '../form/useField.ts';
import { useForm } from '../form/formStore.ts';
import { FieldLabel } from './Setting.tsx';

type Brought = readonly [FieldKey, RunConfig[FieldKey]];

function inWords([key, value]: Brought): string {
  const field = fieldOf(key);
  const text = textOfValue(value);
  const choice = field.type === 'choice' ? field.choices.find((each) => each.value === text) : undefined;
  return `${field.label} → ${choice?.label ?? text}`;
}

/** The choice of the loss, with a sentence on what it does, and the settings that changed with it. */
export function LossChoice(): ReactNode {
  const form = useForm((state) => state.form);
  const { locked, error } = useField('loss');
  const [also, setAlso] = useState<readonly Brought[]>([]);
  const field = fieldOf('loss');
  const kept = also.filter(([key, value]) => sameValue(form[key], value));
  return (
    <div className="stack close">
      <NativeSelect
        label={<FieldLabel field={field} help="tooltip" />}
        labelProps={{ component: 'div' }}
        aria-label={field.label}
        data-testid="loss-select"
        data-setting="loss"
        value={form.loss}
        disabled={locked}
        error={error}
        data={field.type === 'choice' ? [...field.choices] : []}
        onChange={(event) => {
          const chosen = RUN_FIELDS.loss.schema.options.find((loss) => loss === event.currentTarget.value);
          if (chosen === undefined) return;
          const next = withLoss(form, chosen);
          const others = FIELD_KEYS.filter((key) => key !== 'loss' && form[key] !== next[key]);
          setAlso(others.map((key) => [key, next[key]]));
          setValue('loss', chosen);
        }}
      />
      <p className="quiet">{LOSSES[form.loss].sentence}</p>
      <p className="quiet" role="status">
        {kept.length > 0 && `Also changed: ${kept.map(inWords).join('; ')}.`}
      </p>
    </div>
  );
}
