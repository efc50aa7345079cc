import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { LORA_TARGETS } from '../../base/loraTargets.ts';
import { setValue } from '../actions.ts';
import { fieldOf } from '../form/settings.ts';
import { useApp } from '../store.ts';
import { FieldLabel } from './FieldLabel.tsx';
import { useField } from './useField.ts';
import classes from './controls.module.css';

/** The matrices of a layer that get factors, each to be ticked. */
export function LoraTargets(): ReactNode {
  const chosen = useApp((state) => state.form.loraTargets);
  const { locked, error } = useField('loraTargets');
  const field = fieldOf('loraTargets');
  return (
    <Checkbox.Group
      size="xs"
      label={<FieldLabel field={field} help="text" />}
      description={field.help}
      error={error}
      value={[...chosen]}
      onChange={(values) =>
        setValue(
          'loraTargets',
          LORA_TARGETS.filter((name) => values.includes(name)),
        )
      }
    >
      <div className={classes.ticks}>
        {LORA_TARGETS.map((name) => (
          <Checkbox key={name} size="xs" value={name} label={name} disabled={locked} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
