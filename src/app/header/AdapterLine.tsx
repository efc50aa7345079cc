import { SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { switchBackend } from '../actions.ts';
import { isBusy } from '../transport/phases.ts';
import { useApp } from '../store.ts';
import classes from './header.module.css';

const NAMES = { webgpu: 'WebGPU', wasm: 'CPU' } as const;

/** Which device computes, in one line, with a switch where there is a choice. */
export function AdapterLine(): ReactNode {
  const backend = useApp((state) => state.snapshot.backend);
  const phase = useApp((state) => state.snapshot.phase);
  const started = useApp((state) => state.controller !== null);
  if (backend === null) {
    return (
      <p className={classes.adapter} data-testid="adapter-line">
        {phase === 'failed' || (started && phase !== 'loading')
          ? 'No device to compute on'
          : 'Looking for a GPU…'}
      </p>
    );
  }
  return (
    <div className={classes.adapter}>
      <p data-testid="adapter-line" data-backend={backend.backend}>
        {backend.line}
      </p>
      {backend.available.length > 1 && (
        <SegmentedControl
          aria-label="Compute on"
          value={backend.backend}
          disabled={isBusy(phase) || phase === 'loading'}
          onChange={(value) => switchBackend(value === 'webgpu' ? 'webgpu' : 'wasm')}
          data={backend.available.map((value) => ({ value, label: NAMES[value] }))}
        />
      )}
    </div>
  );
}
