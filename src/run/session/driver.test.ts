import { beforeAll, expect, test } from 'vitest';
import { startBackend, createLocalPool } from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { RunDriver } from './driver.ts';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';
import { RunMachine } from './runState.ts';
import { ShownRun } from './snapshot.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

const CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  numSteps: 4,
  problemsPerStep: 1,
  rolloutsPerProblem: 2,
  maxTokens: 4,
  evalSamples: 2,
  evalEvery: 1,
  passAtK: 3,
};

/** The step of each evaluation, and its number of draws for pass@k. */
const drawn = ({ evaluations }: Session) => evaluations.map(({ step, passAtK }) => [step, passAtK?.k ?? 0]);

test('the draws for pass@k are made before the first step, behind the last, and where a run is stopped', async () => {
  const driver = new RunDriver(new ShownRun(), new RunMachine());
  const session = await Session.open(CONFIG, freshStart(await tinyStarter(starterInNode())), {
    createPool: (generatorModel) => createLocalPool(generatorModel),
    now: () => performance.now(),
  });
  const betweenSteps = () => Promise.resolve();
  try {
    await driver.run(session, CONFIG, 2, betweenSteps);
    expect(drawn(session)).toEqual([
      [0, 3],
      [1, 0],
      [2, 0],
    ]);
    expect(session.evaluations.every(({ greedy }) => greedy !== undefined)).toBe(true);
    const alone = session.evaluation;
    await driver.close(session, 'stopped');
    expect(drawn(session).at(-1)).toEqual([2, 3]);
    expect(session.evaluation?.accuracy).toBe(alone?.accuracy);
    driver.begin();
    await driver.run(session, CONFIG, 2, betweenSteps);
    expect(drawn(session)).toEqual([
      [0, 3],
      [1, 0],
      [2, 3],
      [3, 0],
      [4, 3],
    ]);
  } finally {
    session.dispose();
  }
});
