/** The label of a setting with its help and the way back to its default, and the control of a number. */
import { TextInput } from '@mantine/core';
import { useState, type KeyboardEvent, type ReactNode } from 'react';
import { textOfValue, type FieldDescription, sameValue, type FieldKey } from '@rl-playground/run/settings';
import { setValue } from '../actions/actions.ts';
import { bounded, fieldOf, MULTIPLIED, stepped, usualValue } from '../form/settings.ts';
import { plainText } from '../../ui/text/format.ts';
import { ResetIcon } from '../../ui/parts/icons.tsx';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { InfoMark, MarkButton } from '../../ui/parts/InfoMark.tsx';
import { useField } from '../form/useField.ts';
import { useForm } from '../form/formStore.ts';
import classes from './controls.module.css';

interface FieldLabelProps {
  readonly field: FieldDescription;
  /** The help is a text under the label, or a tooltip behind a mark beside it. */
  readonly help: 'text' | 'tooltip';
}

/** The name of a setting, its help behind a mark where there is no room for it, and the way back to its default. */
export function FieldLabel({ field, help }: FieldLabelProps): ReactNode {
  const usual = useForm((state) => usualValue(state.form, field.key));
  const { value, locked } = useField(field.key);
  const back = `Set ${field.label} back to ${textOfValue(usual)}`;
  return (
    <span className={classes.fieldLabel}>
      <span className={classes.label}>{field.label}</span>
      {help === 'tooltip' && <InfoMark label={`${field.label}: ${field.help}`}>{field.help}</InfoMark>}
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

/** Numbers without an exponent, to all their digits, because ARIA knows no others. */
function plainDecimals(numbers: Readonly<Record<string, number>>): Readonly<Record<string, string>> {
  const digits = new Intl.NumberFormat('en-US', { useGrouping: false, maximumFractionDigits: 20 });
  return Object.fromEntries(Object.entries(numbers).map(([key, value]) => [key, digits.format(value)]));
}

/** The control of a number. A text counts as soon as it is a number; an empty field falls back to the last one. */
export function NumberSetting({ name, help }: NumberSettingProps): ReactNode {
  const field = fieldOf(name);
  const { value, locked, error } = useField(name);
  const [draft, setDraft] = useState<string | null>(null);
  if (field.type !== 'number' || typeof value !== 'number') return null;

  const multiplies = MULTIPLIED.has(name);
  const change = (to: number, event: KeyboardEvent): void => {
    event.preventDefault();
    setDraft(null);
    setValue(name, to);
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
      {...plainDecimals({ 'aria-valuenow': value, 'aria-valuemin': field.min, 'aria-valuemax': field.max })}
      inputMode={field.step === 1 ? 'numeric' : 'decimal'}
      value={draft ?? plainText(value)}
      error={error}
      disabled={locked}
      onChange={(event) => accept(event.currentTarget.value)}
      onBlur={() => setDraft(null)}
      onKeyDown={(event) => {
        if (event.key === 'ArrowUp') change(stepped(value, 1, field), event);
        if (event.key === 'ArrowDown') change(stepped(value, -1, field), event);
        if (multiplies && event.key === 'PageUp') change(bounded(2 * value, field), event);
        if (multiplies && event.key === 'PageDown') change(bounded(value / 2, field), event);
      }}
    />
  );
}
