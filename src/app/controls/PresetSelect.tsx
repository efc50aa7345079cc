import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { PRESETS, replacements } from '../../config/presets.ts';
import { useShallow } from 'zustand/react/shallow';
import { PRESET_NAMES } from '../../config/settings/model.ts';
import { setPreset } from '../actions.ts';
import { useApp } from '../store.ts';
import { useField } from './useField.ts';
import classes from './controls.module.css';

/** A set of values to start from, with where it departs from the experiment that it repeats. */
export function PresetSelect(): ReactNode {
  const name = useApp((state) => state.form.preset);
  const { locked } = useField('preset');
  const preset = PRESETS[name];
  const standIns = useApp(useShallow((state) => replacements(state.form)));
  return (
    <div className={classes.preset}>
      <NativeSelect
        size="xs"
        label={<span className={classes.label}>Preset</span>}
        description="Choosing one sets every setting."
        value={name}
        disabled={locked}
        data={PRESET_NAMES.map((value) => ({ value, label: PRESETS[value].title }))}
        onChange={(event) => {
          const chosen = PRESET_NAMES.find((each) => each === event.currentTarget.value);
          if (chosen !== undefined) setPreset(chosen);
        }}
      />
      <p className={classes.summary}>{preset.summary}</p>
      {standIns.length > 0 && (
        <p className={classes.summary}>
          Stands in here: <span className="quiet">{standIns.join(' ')}</span>
        </p>
      )}
      {preset.differences.length > 0 && (
        <details className={classes.differences}>
          <summary>Where it differs from the original</summary>
          <ul>
            {preset.differences.map((difference) => (
              <li key={difference}>{difference}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
