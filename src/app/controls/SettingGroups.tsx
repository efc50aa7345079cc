import type { ReactNode } from 'react';
import { FIELDS } from '../../config/describe.ts';
import { GROUPS } from '../../config/fields.ts';
import type { FieldKey } from '../../config/schema.ts';
import { isShown } from '../form/meaning.ts';
import { useApp } from '../store.ts';
import { PresetSelect } from './PresetSelect.tsx';
import { Setting } from './Setting.tsx';
import { useFormErrors } from './useField.ts';
import classes from './controls.module.css';

/** The preset, and every setting that decides something and does not stand elsewhere, by group, each with its help text. */
export function SettingGroups({ elsewhere }: { elsewhere: ReadonlySet<FieldKey> }): ReactNode {
  const form = useApp((state) => state.form);
  const errors = useFormErrors();
  const groups = GROUPS.map((group) => ({
    group,
    fields: FIELDS.filter(
      ({ key, group: own }) => own === group && !elsewhere.has(key) && isShown(form, key, errors),
    ),
  })).filter(({ fields }) => fields.length > 0);
  return (
    <>
      <PresetSelect />
      {groups.map(({ group, fields }) => (
        <fieldset key={group} className={classes.group}>
          <legend>{group}</legend>
          {fields.map((field) => (
            <Setting key={field.key} field={field} />
          ))}
        </fieldset>
      ))}
    </>
  );
}
