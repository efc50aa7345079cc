import { NativeSelect, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { textOfValue, type FieldDescription } from '../../config/describe.ts';
import { setValue } from '../actions.ts';
import { FieldLabel } from './FieldLabel.tsx';
import { LoraTargets } from './LoraTargets.tsx';
import { NumberSetting } from './NumberSetting.tsx';
import { useField } from './useField.ts';

/** The control that fits a setting's type. */
export function Setting({ field }: { field: FieldDescription }): ReactNode {
  const { value, locked, error } = useField(field.key);
  const shared = {
    size: 'xs',
    label: <FieldLabel field={field} help="text" />,
    labelProps: { component: 'div' },
    'aria-label': field.label,
    description: field.help,
    error,
    disabled: locked,
  } as const;
  if (field.type === 'number') return <NumberSetting name={field.key} help="text" />;
  if (field.type === 'boolean') {
    return (
      <Switch
        size="xs"
        label={field.label}
        description={field.help}
        error={error}
        disabled={locked}
        checked={value === true}
        onChange={(event) => setValue(field.key, event.currentTarget.checked)}
      />
    );
  }
  if (field.type === 'choice') {
    return (
      <NativeSelect
        {...shared}
        value={textOfValue(value)}
        data={[...field.choices]}
        onChange={(event) => setValue(field.key, event.currentTarget.value)}
      />
    );
  }
  if (field.type === 'structure') return field.key === 'loraTargets' ? <LoraTargets /> : null;
  return (
    <TextInput
      {...shared}
      value={textOfValue(value)}
      maxLength={field.maxLength}
      onChange={(event) => setValue(field.key, event.currentTarget.value)}
    />
  );
}
