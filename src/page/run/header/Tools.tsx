/** The device of the page, and the tools of the page itself. They come after the training controls in the document, so that Tab reaches those first. */
import { MODIFIER } from '../../ui/text/format.ts';
import { ActionIcon, SegmentedControl, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import type { BackendInfo } from '@rl-playground/engine/parts';
import { switchBackend } from '../actions/actions.ts';
import { toggleNotifying } from '../actions/notify.ts';
import { AutoIcon, BellIcon, CommandIcon, HelpIcon, MoonIcon, SunIcon } from '../../ui/parts/icons.tsx';
import { isBusy } from '../state/phases.ts';
import { NEXT_SCHEME, SCHEME_NAMES } from '../../ui/style/theme.ts';
import { openHelp } from '../../ui/open/openStore.ts';
import { useRun } from '../state/runStore.ts';
import classes from './header.module.css';

const BACKEND_NAMES = { webgpu: 'WebGPU', wasm: 'CPU' } as const;

/** The device in a few words that fit in one line. The chip leads to the rest. */
function chipText({ backend, threads, line }: BackendInfo): string {
  if (backend === 'webgpu') return `WebGPU · ${line.split(' · ')[0] ?? line}`;
  return `CPU · ${plural(threads, 'thread')}`;
}

/** The device that computes, with a switch where there is a choice. */
function DeviceChip(): ReactNode {
  const backend = useRun((state) => state.snapshot.backend);
  const phase = useRun((state) => state.snapshot.phase);
  const started = useRun((state) => state.controller !== null);
  if (backend === null) {
    return (
      <p className={classes.chip} data-testid="adapter-line">
        {phase === 'failed' || (started && phase !== 'loading') ? 'No device' : 'Looking for a GPU…'}
      </p>
    );
  }
  return (
    <div className="row">
      <button
        type="button"
        className={`bare ${classes.chip}`}
        data-testid="adapter-line"
        data-backend={backend.backend}
        aria-haspopup="dialog"
        title={`${backend.line}. More on this device in Help`}
        onClick={() => openHelp('help')}
      >
        {chipText(backend)}
      </button>
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

interface ToolProps {
  readonly label: string;
  readonly pressed?: boolean;
  readonly opens?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function Tool({ label, pressed, opens = false, onClick, children }: ToolProps): ReactNode {
  return (
    <ActionIcon
      variant={pressed === true ? 'filled' : 'default'}
      size="lg"
      aria-label={label}
      aria-pressed={pressed}
      aria-haspopup={opens ? 'dialog' : undefined}
      title={label}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  );
}

/** Asks the browser for permission at the first click, never before. */
function NotifyToggle(): ReactNode {
  const notifying = useRun((state) => state.notifying);
  return (
    <>
      <Tool
        label="Notification when a run is done"
        pressed={notifying === 'on'}
        onClick={() => void toggleNotifying()}
      >
        <BellIcon />
      </Tool>
      <span role="status" className={notifying === 'refused' ? 'quiet' : 'visually-hidden'}>
        {notifying === 'refused' &&
          'The browser blocks notifications from this page. Allow them in its settings for this site.'}
      </span>
    </>
  );
}

const SCHEME_ICONS = { auto: <AutoIcon />, light: <SunIcon />, dark: <MoonIcon /> };

export function SchemeToggle(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = NEXT_SCHEME[colorScheme];
  return (
    <Tool
      label={`Colours: ${SCHEME_NAMES[colorScheme]}. Switch to: ${SCHEME_NAMES[next]}.`}
      onClick={() => setColorScheme(next)}
    >
      {SCHEME_ICONS[colorScheme]}
    </Tool>
  );
}

export function Tools(): ReactNode {
  return (
    <section className={`row ${classes.tools}`} aria-label="Device and page">
      <DeviceChip />
      <Tool label={`Commands (${MODIFIER} K)`} opens onClick={() => openHelp('commands')}>
        <CommandIcon />
      </Tool>
      <Tool label="Help (?)" opens onClick={() => openHelp('help')}>
        <HelpIcon />
      </Tool>
      <NotifyToggle />
      <SchemeToggle />
    </section>
  );
}
