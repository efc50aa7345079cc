import type { ReactNode } from 'react';
import { FIELDS } from '../../config/describe.ts';
import { GROUPS } from '../../config/fields.ts';
import type { FieldKey } from '../../config/runFields.ts';
import { plural } from '../lib/format.ts';
import { isShown } from '../lib/meaning.ts';
import { changedKeys } from '../lib/settings.ts';
import { useApp } from '../store.ts';
import { Fold } from '../ui/Fold.tsx';
import { PresetSelect } from './PresetSelect.tsx';
import { Setting } from './Setting.tsx';
import { useFormErrors } from './useField.ts';
import classes from './controls.module.css';

/** Settings that have a place of their own on the page. */
const ELSEWHERE: ReadonlySet<FieldKey> = new Set([
  'task',
  'preset',
  'model',
  'loss',
  'taskConfig',
  'mixture',
  'numSteps',
  'learningRate',
  'problemsPerStep',
  'rolloutsPerProblem',
  'numGenerators',
  'warmStartSteps',
  'warmStartLearningRate',
  'warmStartBatch',
  'warmStartData',
]);

/** Every other setting that decides something, by group, each with its help text. */
export function MoreSettings(): ReactNode {
  const form = useApp((state) => state.form);
  const errors = useFormErrors();
  const changed = changedKeys(form).filter((key) => !ELSEWHERE.has(key)).length;
  const groups = GROUPS.map((group) => ({
    group,
    fields: FIELDS.filter(
      ({ key, group: own }) => own === group && !ELSEWHERE.has(key) && isShown(form, key, errors),
    ),
  })).filter(({ fields }) => fields.length > 0);
  return (
    <div className={classes.more}>
      <Fold
        title="More settings"
        note={changed > 0 ? `${plural(changed, 'change')}` : 'preset, sampling, optimizer…'}
      >
        <PresetSelect />
        {groups.map(({ group, fields }) => (
          <fieldset key={group} className={classes.group}>
            <legend>{group}</legend>
            {fields.map((field) => (
              <Setting key={field.key} field={field} />
            ))}
          </fieldset>
        ))}
      </Fold>
    </div>
  );
}
