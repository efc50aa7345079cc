/** The same first step of the default settings on both backends, from the bundled model: same tokens, loss and gradients. */
import { describe, expect, test } from 'vitest';
import { loadModel, filesAtUrl, type GeneratorPool, type GroupResult } from '@rl-playground/engine/parts';
import { startBackend, createLocalPool } from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { StepMetrics } from '../metrics/metrics.ts';
import { relativeError, summary } from '@rl-playground/engine/testing/accuracy';
import { casesOf, everyCase, failOnDeviceProblems } from '@rl-playground/engine/testing/gpu';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';

failOnDeviceProblems();

interface FirstStep {
  readonly groups: readonly GroupResult[];
  readonly metrics: StepMetrics;
  /** The gradient of each parameter, before clipping. */
  readonly gradients: ReadonlyMap<string, Float32Array>;
}

/** The defaults, in a step of 4 x 4 answers on a software adapter. */
const configOf = (task: string): RunConfig => ({
  ...defaultConfig(task),
  ...(everyCase ? {} : { problemsPerStep: 2, rolloutsPerProblem: 4 }),
});

/** One step; `given` are answers to train on instead of sampling them. */
async function firstStep(
  task: string,
  backend: 'webgpu' | 'wasm',
  given: readonly GroupResult[] | null,
): Promise<FirstStep> {
  await startBackend(backend, { wasmPath: '/wasm/' });
  const config = configOf(task);
  const model = await loadModel(filesAtUrl('starter', '/models/starter'));
  let groups: readonly GroupResult[] = [];
  const session = await Session.open(config, freshStart(model), {
    now: () => performance.now(),
    createPool(generatorModel): GeneratorPool {
      const pool = createLocalPool(generatorModel);
      return {
        ...pool,
        async generate(requests, sampling, options) {
          groups = given ?? (await pool.generate(requests, sampling, options));
          return [...groups];
        },
      };
    },
  });
  await session.trainStep({});
  const { optimizer } = await session.parts();
  const [metrics] = session.metrics;
  session.dispose();
  if (!metrics || !optimizer) throw new Error('The step left no metrics or no optimizer state.');
  // After one update from zero the first moment is (1 − β1) times the clipped gradient.
  const factor = Math.max(1, (metrics.gradNorm ?? NaN) / config.clipNorm) / (1 - config.adamBeta1);
  const gradients = new Map(
    [...optimizer.moments].map(([name, { m }]) => [name, m.map((value) => factor * value)]),
  );
  return { groups, metrics, gradients };
}

describe.each(casesOf(['sum_digits', 'reverse_digits'], ['reverse_digits']))('first step of %s', (task) => {
  test('webgpu and wasm agree', async ({ annotate }) => {
    const wasm = await firstStep(task, 'wasm', null);
    const sampledOnGpu = await firstStep(task, 'webgpu', null);
    const onGpu = wasm.groups.flatMap(({ completions }, g) =>
      completions.map((own, c) => ({ own, other: sampledOnGpu.groups[g]?.completions[c] })),
    );
    const { problemsPerStep, rolloutsPerProblem } = configOf(task);
    expect(onGpu).toHaveLength(problemsPerStep * rolloutsPerProblem);
    const tokens = onGpu.reduce((sum, { own }) => sum + own.tokens.length, 0);
    // After its first flip a completion is another text: one flip per completion at most.
    const flips = onGpu.filter(({ own, other }) => own.tokens.join() !== other?.tokens.join()).length;

    const webgpu = await firstStep(task, 'webgpu', wasm.groups);
    const errors = Object.fromEntries(
      [...wasm.gradients].map(([name, values]) => [
        name,
        relativeError(webgpu.gradients.get(name) ?? [], values),
      ]),
    );
    const loss = Math.abs((webgpu.metrics.loss ?? NaN) - (wasm.metrics.loss ?? NaN));
    const gradient = Math.max(...Object.values(errors));
    const v1 = Math.abs(sampledOnGpu.metrics.klSampleTrainV1 ?? NaN);
    const v2 = sampledOnGpu.metrics.klSampleTrainV2 ?? NaN;
    await annotate(
      `${tokens} tokens, ${flips} flips, |loss| ${Math.abs(wasm.metrics.loss ?? NaN).toExponential(1)}, norm ` +
        `${wasm.metrics.gradNorm?.toFixed(3)}; differences: ${summary({ loss, gradient, v1, v2 })}; seconds: wasm ` +
        `${wasm.metrics.seconds.toFixed(1)}, webgpu ${sampledOnGpu.metrics.seconds.toFixed(1)}`,
    );
    for (const { metrics } of [wasm, sampledOnGpu]) {
      expect(metrics.gradNorm).toBeGreaterThan(0);
      expect(Math.abs(metrics.klSampleTrainV1 ?? NaN)).toBeLessThan(1e-5);
      expect(metrics.klSampleTrainV2).toBeLessThan(1e-8);
      expect(metrics.kl).toBe(0);
    }
    expect(flips).toBeLessThanOrEqual(0.001 * tokens);
    expect(loss).toBeLessThan(1e-4);
    expect(Object.entries(errors).filter(([, error]) => !(error < 1e-3))).toEqual([]);
  });
});
