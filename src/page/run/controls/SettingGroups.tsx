/** The controls of the drawer: the preset, and settings by group. */
import { Checkbox, NativeSelect, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { LORA_TARGETS } from '@rl-playground/engine/parts';
import {
  textOfValue,
  type FieldDescription,
  GROUPS,
  PRESETS,
  presetSummary,
  replacements,
  PRESET_TITLES,
} from '@rl-playground/run/settings';
import { setPreset, setValue } from '../actions/actions.ts';
import { fieldOf } from '../form/settings.ts';
import { Choice } from '../../ui/parts/Choice.tsx';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { useField } from '../form/useField.ts';
import { useForm } from '../form/formStore.ts';
import { FieldLabel, NumberSetting } from './Setting.tsx';
import boxes from '../../ui/style/boxes.module.css';
import classes from './controls.module.css';

const MixtureEditor = lazyPart(async () => (await import('./MixtureEditor.tsx')).MixtureEditor);

const RewardSource = lazyPart(async () => (await import('./RewardSource.tsx')).RewardSource);

/** The choice of a preset, and how it differs from the experiment that it repeats. */
export function PresetSelect(): ReactNode {
  const name = useForm((state) => state.form.preset);
  const task = useForm((state) => state.form.task);
  const { locked } = useField('preset');
  const preset = PRESETS[name];
  const standIns = useForm(useShallow((state) => replacements(state.form)));
  return (
    <div className="stack close">
      <Choice
        label={<span className={classes.label}>Preset</span>}
        description="Choosing one sets every setting."
        value={name}
        disabled={locked}
        words={PRESET_TITLES}
        onChoose={setPreset}
      />
      <p className="quiet">{presetSummary(name, task)}</p>
      {standIns.length > 0 && <p className="quiet">Replaced here: {standIns.join(' ')}</p>}
      {preset.differences.length > 0 && (
        <details className="quiet">
          <summary>Where it differs from the original</summary>
          <ul style={{ paddingLeft: 18 }}>
            {preset.differences.map((difference) => (
              <li key={difference}>{difference}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** The matrices of a layer that get factors, each with a box to tick. */
function LoraTargets(): ReactNode {
  const chosen = useForm((state) => state.form.loraTargets);
  const { locked, error } = useField('loraTargets');
  const field = fieldOf('loraTargets');
  return (
    <Checkbox.Group
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
      <div className="row">
        {LORA_TARGETS.map((name) => (
          <Checkbox key={name} value={name} label={name} disabled={locked} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

/** The control that fits a setting's type. */
function Setting({ field }: { field: FieldDescription }): ReactNode {
  const { value, locked, error } = useField(field.key);
  const shared = {
    label: <FieldLabel field={field} help="text" />,
    labelProps: { component: 'div' },
    'aria-label': field.label,
    'data-setting': field.key,
    description: <Glossed text={field.help} />,
    error,
    disabled: locked,
  } as const;
  if (field.type === 'number') return <NumberSetting name={field.key} help="text" />;
  if (field.type === 'boolean') {
    return (
      <Switch
        data-setting={field.key}
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
  if (field.type === 'structure') {
    if (field.key === 'evalMixture')
      return (
        <div>
          <FieldLabel field={field} help="text" />
          <p className="quiet">{field.help}</p>
          <MixtureEditor of="evalMixture" />
        </div>
      );
    return field.key === 'loraTargets' ? <LoraTargets /> : null;
  }
  const line = (
    <TextInput
      {...shared}
      value={textOfValue(value)}
      maxLength={field.maxLength}
      onChange={(event) => setValue(field.key, event.currentTarget.value)}
    />
  );
  return field.key === 'rewardModel' ? (
    <>
      {line}
      <RewardSource />
    </>
  ) : (
    line
  );
}

/** The given settings by group, each with its help text. */
export function SettingGroups({ fields }: { readonly fields: readonly FieldDescription[] }): ReactNode {
  return GROUPS.map((group) => {
    const ofGroup = fields.filter((field) => field.group === group);
    return (
      ofGroup.length > 0 && (
        <fieldset key={group} className={`stack wide ${boxes.group}`}>
          <legend>{group}</legend>
          {ofGroup.map((field) => (
            <Setting key={field.key} field={field} />
          ))}
        </fieldset>
      )
    );
  });
}
