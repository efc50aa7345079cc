import { expect, it } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import { EMPTY_SNAPSHOT } from '../session/snapshot.ts';
import { benchmarkInPage, type Resting } from './benchmarkInPage.ts';
import { BUSY } from './timing.ts';

/** The page's run, which begins to train in its `begins`-th turn beside others. */
function pageWhoseRun(begins: number) {
  let turns = 0;
  const controller: Resting = {
    snapshot: () => ({
      ...EMPTY_SNAPSHOT,
      backend: { backend: 'wasm', line: 'CPU', software: true, threads: 1, available: ['wasm'] },
    }),
    subscribe: () => () => undefined,
    get isBusy() {
      return turns >= begins;
    },
    beside: (work) => {
      turns++;
      return work();
    },
  };
  return { controller, turns: () => turns };
}

const config = defaultConfig('reverse_digits');

it.each([0, 1, 2])(
  'is refused while a run is under way, and ended by one that begins: turn %i',
  async (begins) => {
    const { controller, turns } = pageWhoseRun(begins);
    const labels: string[] = [];
    const { signal } = new AbortController();
    const onProgress = (label: string): void => void labels.push(label);
    await expect(benchmarkInPage(controller, { config, signal, onProgress })).rejects.toThrow(BUSY);
    expect(turns()).toBe(begins);
    expect(labels).toEqual(begins === 0 ? [] : ['Copying memory']);
  },
);

it('ends with the reason of its signal, after the repeat under way', async () => {
  const { controller, turns } = pageWhoseRun(Infinity);
  const abort = new AbortController();
  const onProgress = (): void => abort.abort(new Error('Enough.'));
  await expect(benchmarkInPage(controller, { config, signal: abort.signal, onProgress })).rejects.toThrow(
    'Enough.',
  );
  expect(turns()).toBe(0);
});
