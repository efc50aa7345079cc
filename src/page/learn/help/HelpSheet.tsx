/** Keys, what stands where, and what to do where the browser offers no GPU. */
import { MODIFIER } from '../../ui/text/format.ts';
import { Kbd, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRun } from '../../run/state/runStore.ts';
import { openHelp } from '../../ui/open/openStore.ts';
import { gpuHelp } from './gpuHelp.ts';
import classes from './help.module.css';

const KEYS: readonly (readonly [keys: readonly string[], what: string])[] = [
  [[MODIFIER, 'Enter'], 'Train, pause and continue, from anywhere'],
  [[MODIFIER, 'K'], 'Commands: type what you want to do or where you want to go'],
  [['?'], 'This sheet'],
  [['↑', '↓'], 'In a number: a little more or less'],
  [['Page ↑', 'Page ↓'], 'In a learning rate: twice or half'],
  [['Tab'], 'The first one offers to skip to the charts, the second is Train'],
];

const PLACES: readonly (readonly [place: string, what: string])[] = [
  [
    'Left, or above on a phone',
    'Task, model and settings. What differs from the defaults is kept in the address.',
  ],
  [
    'Charts',
    'Hover or touch for values. “…” pins a chart, makes its axis logarithmic, and saves it as PNG, SVG or CSV.',
  ],
  ['Runs', 'Every run is kept in this browser. Tick two to see them in the same charts.'],
  ['Files', 'Drop a checkpoint, a model or rows anywhere on the page.'],
];

export function HelpSheet(): ReactNode {
  const device = useRun(({ snapshot }) => snapshot.backend?.line ?? null);
  const lacksGpu = useRun(
    ({ snapshot: { backend } }) => backend !== null && !backend.available.includes('webgpu'),
  );
  const advice = gpuHelp({
    userAgent: navigator.userAgent,
    isSecure: window.isSecureContext,
    hasApi: 'gpu' in navigator,
  });
  return (
    <Modal
      opened
      onClose={() => openHelp(null)}
      title="Help"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close help' }}
      transitionProps={{ duration: 0 }}
    >
      <div className={classes.sheet} data-testid="help-sheet">
        <h3>Keys</h3>
        <dl className={classes.keys}>
          {KEYS.map(([keys, what]) => (
            <div key={what}>
              <dt>
                {keys.map((key) => (
                  <Kbd key={key} size="xs">
                    {key}
                  </Kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <h3>What is where</h3>
        <dl className={classes.keys}>
          {PLACES.map(([place, what]) => (
            <div key={place}>
              <dt>{place}</dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        {device !== null && (
          <>
            <h3>Device</h3>
            <p data-testid="device">{device}</p>
          </>
        )}
        {lacksGpu && (
          <section aria-label="No GPU" data-testid="gpu-help">
            <h3>This browser offers no GPU</h3>
            <p>Everything works on the processor, only slower. To compute on the GPU (WebGPU):</p>
            <ul>
              {advice.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </Modal>
  );
}
