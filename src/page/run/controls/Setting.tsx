/** How a setting is drawn: its label with help and the way back, and the control of a number. */
import { TextInput } from '@mantine/core';
import { useState, type KeyboardEvent, type ReactNode } from 'react';
import {
  textOfValue,
  type FieldDescription,
  type NumberField,
  sameValue,
  type FieldKey,
} from '@rl-playground/run/settings';
import { setValue } from '../actions/actions.ts';
import { fieldOf, multiplied, MULTIPLIED, stepped, usualValue } from '../form/settings.ts';
import { ResetIcon } from '../../ui/parts/icons.tsx';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { InfoMark, MarkButton } from '../../ui/parts/InfoMark.tsx';
import { useField } from '../form/useField.ts';
import { useForm } from '../form/formStore.ts';
import classes from './controls.module.css';

interface FieldLabelProps {
  readonly field: FieldDescription;
  /** `text`: the help stands under the label. `tooltip`: behind a mark beside it. */
  readonly help: 'text' | 'tooltip';
}

/** A setting's name, its help behind a mark where there is no room for it, and the way back to its default. */
export function FieldLabel({ field, help }: FieldLabelProps): ReactNode {
  const usual = useForm((state) => usualValue(state.form, field.key));
  const { value, locked } = useField(field.key);
  const back = `Set ${field.label} back to ${textOfValue(usual)}`;
  return (
    <span className={classes.fieldLabel}>
      <span className={classes.label}>{field.label}</span>
      {help === 'tooltip' && (
        <InfoMark label={`${field.label}: ${field.help}`} width={230}>
          {field.help}
        </InfoMark>
      )}
      {!sameValue(value, usual) && !locked && (
        <MarkButton aria-label={back} title={back} onClick={() => setValue(field.key, usual)}>
          <ResetIcon />
        </MarkButton>
      )}
    </span>
  );
}

interface NumberSettingProps extends Pick<FieldLabelProps, 'help'> {
  readonly name: FieldKey;
}

interface FactorsProps {
  readonly label: string;
  readonly locked: boolean;
  readonly onMultiply: (factor: number) => void;
}

/** Steps of a number whose size matters, not its difference to another. */
function Factors({ label, locked, onMultiply }: FactorsProps): ReactNode {
  return (
    <span className={classes.factors}>
      {(
        [
          ['÷2', 1 / 2, 'Half'],
          ['×2', 2, 'Twice'],
        ] as const
      ).map(([sign, factor, word]) => (
        <button
          key={sign}
          type="button"
          disabled={locked}
          aria-label={`${word} the ${label.toLowerCase()}`}
          title={`${word} the ${label.toLowerCase()}`}
          onClick={() => onMultiply(factor)}
        >
          {sign}
        </button>
      ))}
    </span>
  );
}

/** A number as it is typed: no exponent where a plain decimal is short. */
function written(value: number): string {
  return value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
}

/** A number without an exponent, to all its digits: ARIA knows no other. */
function plainDecimal(value: number): string {
  const text = String(value);
  return text.includes('e-') ? value.toFixed(20).replace(/0+$/, '') : text;
}

/** Value and bounds as a screen reader gets them. */
function ariaRange(value: number, { min, max }: NumberField): Readonly<Record<string, string>> {
  return {
    'aria-valuenow': plainDecimal(value),
    'aria-valuemin': plainDecimal(min),
    'aria-valuemax': plainDecimal(max),
  };
}

/** One number. What is typed counts as soon as it is a number; an empty field falls back to the last one. */
export function NumberSetting({ name, help }: NumberSettingProps): ReactNode {
  const field = fieldOf(name);
  const { value, locked, error } = useField(name);
  const [draft, setDraft] = useState<string | null>(null);
  if (field.type !== 'number' || typeof value !== 'number') return null;

  const multiplies = MULTIPLIED.has(name);
  const step = (event: KeyboardEvent, direction: 1 | -1): void => {
    event.preventDefault();
    setDraft(null);
    setValue(name, stepped(value, direction, field));
  };
  const multiply = (event: KeyboardEvent | null, factor: number): void => {
    event?.preventDefault();
    setDraft(null);
    setValue(name, multiplied(value, factor, field));
  };
  const accept = (text: string): void => {
    setDraft(text);
    const number = Number(text.trim().replace(',', '.'));
    if (text.trim() !== '' && Number.isFinite(number)) setValue(name, number);
  };
  return (
    <TextInput
      label={<FieldLabel field={field} help={help} />}
      labelProps={{ component: 'div' }}
      aria-label={field.label}
      data-setting={name}
      description={help === 'text' ? <Glossed text={field.help} /> : undefined}
      role="spinbutton"
      {...ariaRange(value, field)}
      inputMode={field.step === 1 ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={draft ?? written(value)}
      error={error}
      disabled={locked}
      rightSectionWidth={multiplies ? 66 : undefined}
      rightSection={
        multiplies && (
          <Factors label={field.label} locked={locked} onMultiply={(factor) => multiply(null, factor)} />
        )
      }
      onChange={(event) => accept(event.currentTarget.value)}
      onBlur={() => setDraft(null)}
      onKeyDown={(event) => {
        if (event.key === 'ArrowUp') step(event, 1);
        if (event.key === 'ArrowDown') step(event, -1);
        if (multiplies && event.key === 'PageUp') multiply(event, 2);
        if (multiplies && event.key === 'PageDown') multiply(event, 1 / 2);
      }}
    />
  );
}
