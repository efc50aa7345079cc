import type { ReactNode } from 'react';
import { bytesText } from '@rl-playground/base/text';
import { durationText, type PlannedModel } from '@rl-playground/run/plan';
import type { RunConfig } from '@rl-playground/run/settings';
import { setValue } from '../actions/actions.ts';
import { useForm } from '../form/formStore.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Columns } from '../../ui/parts/words.tsx';
import tables from '../../ui/style/table.module.css';
import { usePlanOf } from './usePlanOf.ts';
import classes from './model.module.css';

/**
 * The formats of a frozen base, what each loses, as measured on SmolLM2-135M and Gemma 3 270M, and how fast one core samples one answer
 * of the first (`npm run lab -- formats`, lab/notes/memory.md).
 */
const FORMATS = [
  { format: 'auto', name: 'As in its files', kl: 'none', speed: '22.5' },
  { format: '16bit', name: '16 bit', kl: '0.000004 nats', speed: '14.7' },
  { format: 'q8', name: '8 bit', kl: '0.001 nats', speed: '23.1' },
  { format: 'q4', name: '4 bit', kl: '0 to 0.2 nats', speed: '24.1' },
] as const satisfies readonly { format: RunConfig['baseFormat']; name: string; kl: string; speed: string }[];

/** The formats in which the weights may stay frozen under LoRA, each with the memory that a run takes, and a button that chooses it. */
export function FormatTable({ model }: { readonly model: PlannedModel }): ReactNode {
  const planOf = usePlanOf();
  const chosen = useForm(({ form }) => form.baseFormat);
  return (
    <section aria-label="Base weights" data-testid="format-table">
      <h3 className={classes.heading}>Base weights under LoRA</h3>
      <table className={`${tables.table} ${tables.stacked}`}>
        <Columns
          names={[
            'Format',
            'Memory at the peak',
            'KL from its own weights',
            'Sampling, tokens/s',
            'A step, at most',
          ]}
        />
        <tbody>
          {FORMATS.map(({ format, name, kl, speed }) => {
            const plan = planOf(model, { baseFormat: format });
            const known = typeof plan === 'string' ? null : plan;
            return (
              <tr key={format}>
                <th scope="row">
                  <ActionButton
                    aria-pressed={format === chosen}
                    onClick={() => setValue('baseFormat', format)}
                  >
                    {name}
                  </ActionButton>
                  {format === chosen && <span className="quiet"> chosen</span>}
                </th>
                <td data-label="Memory at the peak">
                  {known === null ? 'unknown' : bytesText(known.peak.gpu + known.peak.host)}
                  {known?.fits === false && ', does not fit'}
                </td>
                <td data-label="KL from its own weights">{kl}</td>
                <td data-label="Sampling, tokens/s">{speed}</td>
                <td data-label="A step, at most">
                  {known?.step.seconds == null ? 'not known yet' : durationText(known.step.seconds)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className="quiet">
        KL is that of SmolLM2-135M and Gemma 3 270M, tokens per second that of SmolLM2-135M in Q4_1 on one
        core; memory and time are those of this model with your settings.
      </p>
    </section>
  );
}
