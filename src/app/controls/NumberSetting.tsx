import { TextInput } from '@mantine/core';
import { useState, type KeyboardEvent, type ReactNode } from 'react';
import type { FieldKey } from '../../config/schema.ts';
import { setValue } from '../actions.ts';
import { fieldOf, stepped } from '../form/settings.ts';
import { FieldLabel } from './FieldLabel.tsx';
import { useField } from './useField.ts';

interface NumberSettingProps {
  readonly name: FieldKey;
  /** `text`: the help stands under the label. `tooltip`: behind a mark beside it. */
  readonly help: 'text' | 'tooltip';
}

/** A number as a person writes it: no exponent where a plain decimal is short. */
function written(value: number): string {
  return value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
}

/** One number. What is typed counts as soon as it is a number; an empty field falls back to the last one. */
export function NumberSetting({ name, help }: NumberSettingProps): ReactNode {
  const field = fieldOf(name);
  const { value, locked, error } = useField(name);
  const [draft, setDraft] = useState<string | null>(null);
  if (field.type !== 'number' || typeof value !== 'number') return null;

  const step = (event: KeyboardEvent, direction: 1 | -1): void => {
    event.preventDefault();
    setDraft(null);
    setValue(name, stepped(value, direction, field));
  };
  const accept = (text: string): void => {
    setDraft(text);
    const number = Number(text.trim().replace(',', '.'));
    if (text.trim() !== '' && Number.isFinite(number)) setValue(name, number);
  };
  return (
    <TextInput
      size="xs"
      label={<FieldLabel field={field} help={help} />}
      labelProps={{ component: 'div' }}
      aria-label={field.label}
      description={help === 'text' ? field.help : undefined}
      role="spinbutton"
      aria-valuenow={value}
      aria-valuemin={field.min}
      aria-valuemax={field.max}
      inputMode={field.step === 1 ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={draft ?? written(value)}
      error={error}
      disabled={locked}
      onChange={(event) => accept(event.currentTarget.value)}
      onBlur={() => setDraft(null)}
      onKeyDown={(event) => {
        if (event.key === 'ArrowUp') step(event, 1);
        if (event.key === 'ArrowDown') step(event, -1);
      }}
    />
  );
}
