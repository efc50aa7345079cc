/** Breaks the agreement of sampler and trainer on purpose, and cures what comes of it. */
import { NativeSelect, Switch } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import type { RunConfig } from '../../config/schema.ts';
import { changeForm } from '../actions.ts';
import { useField } from '../controls/useField.ts';
import { useApp } from '../store.ts';
import classes from './agreement.module.css';

type Dial = Pick<RunConfig, 'generatorPrecision' | 'samplerNoise'>;

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly dial: Dial;
}

const noisy = (samplerNoise: number): Choice => ({
  value: `noise ${samplerNoise}`,
  label: `Add noise, σ = ${samplerNoise}`,
  dial: { generatorPrecision: 'f32', samplerNoise },
});

const CHOICES: readonly Choice[] = [
  { value: 'exact', label: 'As the trainer computes', dial: { generatorPrecision: 'f32', samplerNoise: 0 } },
  {
    value: '16-bit',
    label: 'Make the sampler 16-bit',
    dial: { generatorPrecision: 'f16', samplerNoise: 0 },
  },
  ...[0.01, 0.1, 0.5, 0.8, 1, 1.5].map(noisy),
];

/** The cap of the paper's experiments (Yao et al. 2025). */
const CAP = 2;

/** The choice that the form's settings are, or one that tells them. */
function choiceOf({ generatorPrecision, samplerNoise }: Dial): Choice {
  const found = CHOICES.find(
    ({ dial }) => dial.generatorPrecision === generatorPrecision && dial.samplerNoise === samplerNoise,
  );
  if (found !== undefined) return found;
  const bits = generatorPrecision === 'f16' ? '16-bit, ' : '';
  return {
    value: 'own',
    label: `${bits}noise σ = ${samplerNoise}`,
    dial: { generatorPrecision, samplerNoise },
  };
}

/** Not drawn anew with every step. */
export const SamplerDial = memo(function SamplerDial(): ReactNode {
  const form = useApp((state) => state.form);
  const { locked } = useField('samplerNoise');
  const capLocked = useField('importanceCap').locked;
  const oldLocked = useField('oldLogprobs').locked;
  const chosen = choiceOf(form);
  const cured = form.oldLogprobs === 'trainer' && form.importanceCap > 0;
  return (
    <div className={classes.dial}>
      <NativeSelect
        label="Sampler"
        data-testid="sampler-dial"
        value={chosen.value}
        disabled={locked}
        data={[...CHOICES, ...(chosen.value === 'own' ? [chosen] : [])].map(({ value, label }) => ({
          value,
          label,
        }))}
        onChange={(event) => {
          const next = CHOICES.find(({ value }) => value === event.currentTarget.value);
          if (next !== undefined) changeForm((before) => ({ ...before, ...next.dial }));
        }}
      />
      <Switch
        label="Truncated importance sampling"
        data-testid="sampler-cure"
        checked={cured}
        disabled={capLocked || oldLocked}
        onChange={(event) => {
          const cure = event.currentTarget.checked;
          changeForm((before) => ({
            ...before,
            oldLogprobs: cure ? 'trainer' : 'sampler',
            importanceCap: cure ? CAP : 0,
          }));
        }}
      />
    </div>
  );
});
