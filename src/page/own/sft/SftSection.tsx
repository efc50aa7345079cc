import { Group, Switch } from '@mantine/core';
import { Suspense, useId, type ReactNode } from 'react';
import { setValue } from '../../run/actions/actions.ts';
import { useLock } from '../../run/form/useField.ts';
import { percent } from '../../ui/text/format.ts';
import { usualValue } from '../../run/form/settings.ts';
import { Problem } from '../../ui/parts/words.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { SFT_DROP_ZONE, FIRST_UPDATES } from './sftRows.ts';
import controls from '../../run/controls/controls.module.css';

const SftSettings = lazyPart(async () => (await import('./SftSettings.tsx')).SftSettings);

/** A model with a smaller share of answers in the right format finds too few rewards. */
const LOW_FORMAT = 0.05;

/** The advice to warm up, if hardly an answer was in the right format. An alarm has a cause and a cure of its own, and speaks alone. */
function Need(): ReactNode {
  const format = useRun(
    ({ snapshot: { metrics, evaluations } }) => metrics.at(-1)?.format ?? evaluations.at(-1)?.format ?? null,
  );
  const alarmed = useRun(({ snapshot: { notices } }) => notices.some(({ alarm }) => alarm !== undefined));
  if (format === null || format >= LOW_FORMAT || alarmed) return null;
  return (
    <p className="quiet" role="status">
      <strong>{percent(format)} of the latest answers were in the right format:</strong> a warm-up would help
      this model. Press Reset and switch it on.
    </p>
  );
}

/** The settings of supervised fine-tuning, as a stage before reinforcement. */
export function SftSection(): ReactNode {
  const titleId = useId();
  const form = useForm((state) => state.form);
  const problem = useForm((state) => state.sftRows.problem);
  const locked = useLock() !== 'none';
  const on = form.warmStartSteps > 0;
  const usual = usualValue(form, 'warmStartSteps');
  const first = typeof usual === 'number' && usual > 0 ? usual : FIRST_UPDATES;
  return (
    <div
      className={controls.section}
      role="group"
      aria-labelledby={titleId}
      data-testid="warmup"
      {...{ [SFT_DROP_ZONE]: true }}
    >
      <Group justify="space-between" gap={12}>
        <span id={titleId} className={controls.label}>
          Supervised warm-up
        </span>
        <Switch
          aria-labelledby={titleId}
          data-setting={on ? undefined : 'warmStartSteps'}
          checked={on}
          disabled={locked}
          onChange={(event) => setValue('warmStartSteps', event.currentTarget.checked ? first : 0)}
        />
      </Group>
      <p className="quiet">
        A model can’t learn if no answer earns a reward. A warm-up shows it worked examples first (supervised
        fine-tuning, SFT).
      </p>
      {!on && <Need />}
      <Problem text={problem} />
      {on && (
        <Suspense>
          <SftSettings locked={locked} />
        </Suspense>
      )}
    </div>
  );
}
