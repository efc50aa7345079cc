/** Keys, the places of the page, and the browsers that offer a GPU. */
import { MODIFIER } from '../../ui/text/format.ts';
import { Kbd, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRun } from '../../run/state/runStore.ts';
import { openHelp } from '../../ui/open/openStore.ts';
import { LinkButton } from '../../ui/parts/buttons.tsx';
import { PLACE_NAMES, PLACES } from '../../ui/open/placeNames.ts';
import classes from './help.module.css';

type Row = readonly [term: string | readonly string[], what: string];

const KEYS: readonly Row[] = [
  [[MODIFIER, 'Enter'], 'Train, pause and continue, from anywhere'],
  [[MODIFIER, 'K'], 'Open the commands, and type what you want to do'],
  [['?'], 'Open this sheet'],
  [['↑', '↓'], 'Change a number a little'],
  [['Page ↑', 'Page ↓'], 'Double or halve a learning rate'],
  [
    ['Tab'],
    'Skip to the charts with the first press, reach the places with the second and Train with the third',
  ],
];

const WHERE: readonly Row[] = [
  ...PLACE_NAMES.map((place): Row => [PLACES[place].title, PLACES[place].what]),
  ['Charts', 'Hover or touch for values. “…” saves a chart as PNG, SVG or CSV.'],
  ['Files', 'Drop a checkpoint, a model or rows anywhere on the page.'],
];

const GPU_HELP: readonly Row[] = [
  [
    'Chrome and Edge',
    'From version 113 on, with “Use graphics acceleration when available” turned on in chrome://settings/system and a current driver of the graphics card. chrome://gpu says what is missing.',
  ],
  [
    'On Linux',
    'Chrome needs a Vulkan driver (vulkaninfo shows it) and, for many GPUs, chrome://flags/#enable-unsafe-webgpu and chrome://flags/#enable-vulkan. Firefox has WebGPU in Nightly.',
  ],
  ['Firefox', 'From version 141 on under Windows, and from 145 on under macOS with Apple chips.'],
  ['Safari', 'From version 26 on (macOS Tahoe). On an older macOS use Chrome, Edge or Firefox.'],
  ['iPhone and iPad', 'Every browser from iOS 26 on.'],
  ['Android', 'Chrome on Android 12 and newer with a Qualcomm or ARM GPU.'],
];

function Rows({ rows }: { readonly rows: readonly Row[] }): ReactNode {
  return (
    <dl className={`stack ${classes.rows}`}>
      {rows.map(([term, what]) => (
        <div key={what}>
          <dt>
            {typeof term === 'string'
              ? term
              : term.map((key) => (
                  <Kbd key={key} size="xs">
                    {key}
                  </Kbd>
                ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}

export function HelpSheet(): ReactNode {
  const device = useRun(({ snapshot }) => snapshot.backend?.line ?? null);
  const lacksGpu = useRun(
    ({ snapshot: { backend } }) => backend !== null && !backend.available.includes('webgpu'),
  );
  return (
    <Modal
      opened
      onClose={() => openHelp(null)}
      title="Help"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close help' }}
      transitionProps={{ duration: 0 }}
    >
      <div className="stack wide" data-testid="help-sheet">
        <h3 className="panel-title">Keys</h3>
        <Rows rows={KEYS} />
        <h3 className="panel-title">What is where</h3>
        <Rows rows={WHERE} />
        {device !== null && (
          <>
            <h3 className="panel-title">Device</h3>
            <p data-testid="device">
              {device}.{' '}
              <LinkButton aria-haspopup="dialog" onClick={() => openHelp('benchmark')}>
                Benchmark this machine
              </LinkButton>
            </p>
          </>
        )}
        {lacksGpu && (
          <section className="stack" aria-label="No GPU" data-testid="gpu-help">
            <h3 className="panel-title">This browser offers no GPU</h3>
            <p>
              Everything works on the processor, only slower. WebGPU uses the GPU in these browsers, if the
              page comes from https:// or from this machine (localhost):
            </p>
            <Rows rows={GPU_HELP} />
          </section>
        )}
      </div>
    </Modal>
  );
}
