import { Checkbox, NumberInput, Progress, SegmentedControl } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { SUITE_NAMES, type BackendName, type SuiteName } from '../../../bench/types.ts';
import { PlayIcon, StopIcon } from '../../ui/parts/icons.tsx';
import { isBusy } from '../../run/state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { cancelBenchmark, startBenchmark, useBenchmark } from './benchmarkStore.ts';
import classes from './benchmark.module.css';

const SUITE_WORDS: Readonly<Record<SuiteName, string>> = {
  gemm: 'Matrix products',
  ops: 'Single ops: attention, norms, optimizer',
  train: 'One training step',
  rollout: 'Sampling answers',
  sync: 'Handing weights over',
  step: 'A whole step of reinforcement learning',
  load: 'Loading the model',
  scale: 'Growth of cost and memory (minutes)',
  schedule: 'Sampling and training in turns or side by side (minutes)',
  lora: 'A pass of GRPO with LoRA, and its parts (minutes)',
};
const BACKEND_WORDS: Readonly<Record<BackendName, string>> = { webgpu: 'WebGPU', wasm: 'CPU' };

function SuiteChoice(): ReactNode {
  const suites = useBenchmark((state) => state.suites);
  const running = useBenchmark((state) => state.progress !== null);
  return (
    <Checkbox.Group
      label="What to time"
      value={[...suites]}
      onChange={(chosen) =>
        useBenchmark.setState({ suites: SUITE_NAMES.filter((name) => chosen.includes(name)) })
      }
      classNames={{ label: classes.label }}
    >
      <div className={classes.suites}>
        {SUITE_NAMES.map((name) => (
          <Checkbox key={name} size="sm" value={name} label={SUITE_WORDS[name]} disabled={running} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

function Repeats(): ReactNode {
  const repeats = useBenchmark((state) => state.repeats);
  const running = useBenchmark((state) => state.progress !== null);
  return (
    <NumberInput
      label="Repeats"
      min={1}
      max={50}
      clampBehavior="strict"
      allowDecimal={false}
      value={repeats}
      disabled={running}
      onChange={(value) => {
        if (typeof value === 'number' && value >= 1) useBenchmark.setState({ repeats: value });
      }}
      className={classes.repeats}
    />
  );
}

/** Why it can't start now; null where it can. */
function useObstacle(): string | null {
  const phase = useRun((state) => state.snapshot.phase);
  const backend = useRun((state) => state.snapshot.backend);
  const nothing = useBenchmark((state) => state.suites.length === 0);
  if (isBusy(phase)) {
    return 'A run is going on, and the two would slow each other down. Pause or stop the run first.';
  }
  if (backend === null || phase === 'loading') return 'The page is still loading.';
  return nothing ? 'Choose at least one thing to time.' : null;
}

/** What is timed, on what, and how far it is. */
export function BenchmarkForm(): ReactNode {
  const device = useRun((state) => state.snapshot.backend);
  const [chosen, setChosen] = useState<BackendName | null>(null);
  const quick = useBenchmark((state) => state.quick);
  const progress = useBenchmark((state) => state.progress);
  const problem = useBenchmark((state) => state.problem);
  const obstacle = useObstacle();
  const running = progress !== null;
  const backend = chosen ?? device?.backend ?? 'wasm';
  return (
    <section className={`panel ${classes.form}`} aria-label="Benchmark settings">
      <SuiteChoice />
      <div className={classes.settings}>
        {device !== null && device.available.length > 1 && (
          <SegmentedControl
            aria-label="Time on"
            value={backend}
            disabled={running}
            onChange={(value) => setChosen(value === 'webgpu' ? 'webgpu' : 'wasm')}
            data={device.available.map((value) => ({ value, label: BACKEND_WORDS[value] }))}
          />
        )}
        <Checkbox
          size="sm"
          label="Quick: only the main sizes"
          checked={quick}
          disabled={running}
          onChange={(event) => useBenchmark.setState({ quick: event.currentTarget.checked })}
        />
        <Repeats />
        <ActionButton
          size="sm"
          variant="filled"
          color={running ? 'ink' : 'go.7'}
          leftSection={running ? <StopIcon /> : <PlayIcon />}
          data-testid="benchmark-start"
          usable={running || obstacle === null}
          onClick={running ? cancelBenchmark : () => void startBenchmark(backend)}
        >
          {running ? 'Cancel' : 'Start'}
        </ActionButton>
      </div>
      {!running && obstacle !== null && <p className={classes.obstacle}>{obstacle}</p>}
      {problem !== null && (
        <p className={classes.problem} role="alert">
          {problem}
        </p>
      )}
      {progress !== null && (
        <div className={classes.progress}>
          <Progress
            value={(100 * progress.done) / Math.max(1, progress.total)}
            aria-label="Progress of the benchmark"
          />
          <p className="quiet">
            {progress.done} of {progress.total} done. {progress.text}
          </p>
        </div>
      )}
      <p className="visually-hidden" role="status">
        {progress === null ? '' : `${progress.done} of ${progress.total} measurements done`}
      </p>
    </section>
  );
}
