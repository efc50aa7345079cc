import { ActionIcon, SegmentedControl, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { switchBackend } from '../actions.ts';
import { AutoIcon, MoonIcon, SunIcon } from '../icons.tsx';
import { useApp } from '../store.ts';
import { isBusy } from '../transport/phases.ts';
import classes from './header.module.css';

function Logo(): ReactNode {
  return (
    <svg aria-hidden="true" width="30" height="30" viewBox="0 0 32 32" className={classes.logo}>
      <rect width="32" height="32" rx="7" fill="#14506e" />
      <path
        d="M6 24.5c5-.3 7.6-2.3 9.6-6.7S20 8.3 26 7.5"
        fill="none"
        stroke="#fff"
        strokeWidth="2.8"
        strokeLinecap="round"
      />
      <circle cx="6.5" cy="24.4" r="2.9" fill="#f0a33a" />
      <circle cx="25.5" cy="7.6" r="2.9" fill="#4cc38a" />
    </svg>
  );
}

const BACKEND_NAMES = { webgpu: 'WebGPU', wasm: 'CPU' } as const;

/** Which device computes, in one line, with a switch where there is a choice. */
function AdapterLine(): ReactNode {
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
          data={backend.available.map((value) => ({ value, label: BACKEND_NAMES[value] }))}
        />
      )}
    </div>
  );
}

const NEXT_SCHEME = { auto: 'light', light: 'dark', dark: 'auto' } as const;
const SCHEME_ICONS = { auto: <AutoIcon />, light: <SunIcon />, dark: <MoonIcon /> };
const SCHEME_NAMES = { auto: 'as the system', light: 'light', dark: 'dark' } as const;

/** System, light, dark in turn. */
function SchemeToggle(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const label = `Colours: ${SCHEME_NAMES[colorScheme]}. Switch to: ${SCHEME_NAMES[NEXT_SCHEME[colorScheme]]}.`;
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(NEXT_SCHEME[colorScheme])}
    >
      {SCHEME_ICONS[colorScheme]}
    </ActionIcon>
  );
}

/** Name, what this is in one sentence, what it runs on. */
export function Header(): ReactNode {
  return (
    <header className={classes.header}>
      <Logo />
      <div className={classes.words}>
        <h1 className={classes.name}>RL Playground</h1>
        <p className={classes.sentence}>
          A small language model learns by trial and reward, live in this tab. Nothing leaves your machine
          unless you send it.
        </p>
      </div>
      <AdapterLine />
      <SchemeToggle />
    </header>
  );
}
