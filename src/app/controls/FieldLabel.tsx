import type { ReactNode } from 'react';
import { textOfValue, type FieldDescription } from '../../config/describe.ts';
import { sameValue } from '../../config/fields.ts';
import { setValue } from '../actions.ts';
import { ResetIcon } from '../icons.tsx';
import { usualValue } from '../form/settings.ts';
import { useApp } from '../store.ts';
import { InfoMark } from '../ui/InfoMark.tsx';
import { MarkButton } from '../ui/MarkButton.tsx';
import { useField } from './useField.ts';
import classes from './controls.module.css';

interface FieldLabelProps {
  readonly field: FieldDescription;
  readonly help: 'text' | 'tooltip';
}

/** A setting's name, its help behind a mark where there is no room for it, and the way back to its default. */
export function FieldLabel({ field, help }: FieldLabelProps): ReactNode {
  const usual = useApp((state) => usualValue(state.form, field.key));
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
