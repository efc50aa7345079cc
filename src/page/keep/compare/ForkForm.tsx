/** A form that starts a new run from a checkpoint of this one, with one setting changed. */
import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useCallback, useState, type FormEvent, type ReactNode } from 'react';
import type { RunConfig } from '@rl-playground/run/settings';
import type { KeptRun } from '@rl-playground/run/kept';
import { LINK_KEEPS } from '../../run/form/locks.ts';
import { canStart } from '../../run/state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Choice } from '../../ui/parts/Choice.tsx';
import { Problem } from '../../ui/parts/words.tsx';
import { useLoaded } from '../../ui/draw/useLoaded.ts';
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { forkRun } from './compareActions.ts';
import { changedConfig, forkChoices } from './forkable.ts';

interface ForkFormProps {
  readonly kept: KeptRun;
  readonly config: RunConfig;
  readonly onDone: () => void;
}

export function ForkForm({ kept, config, onDone }: ForkFormProps): ReactNode {
  const runs = useRun((state) => state.kept);
  const startable = useRun((state) => canStart(state.snapshot));
  const read = useCallback(async () => (await runs?.forkPoints(kept)) ?? [], [runs, kept]);
  const points = useLoaded(read).value ?? [];
  const [step, setStep] = useState<number | null>(null);
  const locked = useForm((state) => state.classroom.locked);
  const groups = forkChoices(config, locked);
  const all = groups.flatMap(({ items }) => items);
  const [id, setId] = useState((all.find((each) => each.id === 'learningRate') ?? all[0])?.id);
  const choice = all.find((each) => each.id === id);
  const [typed, setTyped] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  if (choice === undefined) return <p className="quiet">{LINK_KEEPS}</p>;
  const point = points.find((each) => each.step === step) ?? points[0];
  const text = typed ?? choice.text;
  const fork = (event: FormEvent): void => {
    event.preventDefault();
    if (!point || !startable) return;
    // A fork from the end of a run makes as many steps again.
    const numSteps = point.step < config.numSteps ? config.numSteps : point.step + config.numSteps;
    const changed = changedConfig({ ...config, numSteps }, choice, text);
    if (!changed.ok) {
      setProblem(changed.errors.join(' '));
      return;
    }
    onDone();
    void forkRun(kept, point, changed.config);
  };
  return (
    <Group component="form" align="end" gap={10} w="100%" onSubmit={fork} data-testid="fork-form">
      <NativeSelect
        label="From step"
        value={String(point?.step ?? '')}
        onChange={(event) => setStep(Number(event.currentTarget.value))}
        data={points.map((each) => String(each.step))}
      />
      <NativeSelect
        label="Setting"
        value={choice.id}
        onChange={(event) => {
          setId(event.currentTarget.value);
          setTyped(null);
          setProblem(null);
        }}
        data={groups.map(({ group, items }) => ({
          group,
          items: items.map((each) => ({ value: each.id, label: each.label })),
        }))}
      />
      {choice.choices !== null ? (
        <Choice label="Changed to" value={text} words={choice.choices} onChoose={setTyped} />
      ) : (
        <TextInput
          label="Changed to"
          value={text}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <ActionButton type="submit" variant="filled" usable={startable && point !== undefined}>
        Fork and train
      </ActionButton>
      <Problem text={problem} />
    </Group>
  );
}
