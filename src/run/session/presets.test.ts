/** Every preset trains: a step of each on a tiny model, at the size that the command line's smallest run has. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { LoadedModel } from '@rl-playground/engine/parts';
import { startBackend, createLocalPool } from '@rl-playground/engine/parts/tensors';
import { parseConfig } from '../settings/check.ts';
import { defaultConfig, PRESETS } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { PresetName } from '../settings/schema/model.ts';
import { provenBy } from '@rl-playground/base/testing/proofs';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { isScratchModel, makeScratchModel } from '../models/scratchModels.ts';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';

let tiny: LoadedModel;
beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  tiny = await tinyStarter(starterInNode());
});

function smallest(preset: PresetName): RunConfig {
  const config = defaultConfig(PRESETS[preset].task ?? 'reverse_digits', preset);
  const parsed = parseConfig({
    ...config,
    oneProblemPerGenerator: false,
    problemsPerStep: 2,
    rolloutsPerProblem: 4,
    maxTokens: 12,
    numSteps: 2,
    numGenerators: 1,
    evalSamples: 2,
    warmStartSteps: Math.min(2, config.warmStartSteps),
    // The narrowest matrix of the tiny model.
    loraRank: Math.min(4, config.loraRank),
  });
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.config;
}

const ALL = Object.keys(PRESETS) as PresetName[];
/** The model from scratch of the largest one is that of the others with more of everything. */
const FEW = ALL.filter((preset) => preset !== 'rlvr-large');

describe('presets', () => {
  test.each(provenBy(ALL, FEW))('%s', async (preset) => {
    const config = smallest(preset);
    const model = isScratchModel(config.model) ? await makeScratchModel(config) : tiny;
    const session = await Session.open(config, freshStart(model), {
      createPool: (generatorModel) => createLocalPool(generatorModel),
      now: () => performance.now(),
    });
    while (session.inSft) await session.sftStep();
    for (let step = 1; step <= 2; step++) expect(await session.trainStep({})).toHaveLength(8);
    await session.evaluate({});
    const [first, second] = session.metrics;
    // On fresh answers of its own weights a policy is what sampled them, unless the preset adds noise.
    const gap = Math.abs(first?.klFirstUpdateV1 ?? first?.klSampleTrainV1 ?? NaN);
    expect(gap < 1e-4).toBe(config.samplerNoise === 0);
    expect(second?.step).toBe(2);
    expect(Number.isFinite(second?.loss)).toBe(true);
    session.dispose();
  });
});
