/** Ours, called as the training loop calls it. The one place of the benchmark that knows our own interfaces. */
import { breathe } from '../backend/eventLoop.ts';
import { gpuDispatcher } from '../backend/dispatch.ts';
import { WEBGPU_BACKEND } from '../backend/kernelRegistry.ts';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { gemm } from '../kernels/index.ts';
import { LanguageModel } from '../model/languageModel.ts';
import { ModelWeights } from '../model/weights.ts';
import { packMicrobatches } from '../rl/batch.ts';
import { lossOf } from '../rl/losses.ts';
import { Optimizer } from '../rl/optimizer.ts';
import { trainStep } from '../rl/trainer.ts';
import { createLocalPool } from '../rollout/localPool.ts';
import { createWorkerPool } from '../rollout/workerPool.ts';
import type { GeneratorModel } from '../rollout/generator.ts';
import type { GeneratorPool, GroupRequest, SamplingSettings } from '../rollout/types.ts';
import { prepareCpuCeiling } from './ceilings/wasm.ts';
import { prepareGpuCeiling } from './ceilings/webgpu.ts';
import type { Environment } from './participants/environment.ts';
import { gemmInputs, thinned } from './participants/inputs.ts';
import type { HostModel } from './participants/model.ts';
import { promptsOf } from './participants/rolloutData.ts';
import { prepareOperation, preparedWork } from './participants/timing.ts';
import { TRAINING, trainingData } from './participants/trainingData.ts';
import type { CeilingWorkload, GemmWorkload, Prepared, RolloutWorkload, TrainWorkload } from './types.ts';

/** Padded tokens that go through the model at once. */
const MICROBATCH_TOKENS = 4096;
/** Generators of a run by default. */
const GENERATORS = 2;

export async function startOurs({ backend, wasmPath, threads }: Environment): Promise<string> {
  const { line } = await startBackend(backend, { wasmPath, threads });
  return line;
}

/** Resolves when everything that was started on the device is done. */
async function finish(): Promise<void> {
  if (tf.getBackend() !== WEBGPU_BACKEND) return;
  const gpu = gpuDispatcher(tf.backend());
  gpu.flush();
  await gpu.device.queue.onSubmittedWorkDone();
}

export function prepareCeiling(workload: CeilingWorkload, { threads }: Environment): Promise<Prepared> {
  if (tf.getBackend() === WEBGPU_BACKEND)
    return prepareGpuCeiling(gpuDispatcher(tf.backend()).device, workload);
  return prepareCpuCeiling(workload, threads);
}

export function prepareGemm(workload: GemmWorkload): Promise<Prepared> {
  const { a, b } = gemmInputs(workload);
  const left = tf.tensor2d(a.data, a.shape);
  const right = tf.tensor2d(b.data, b.shape);
  return prepareOperation({
    start: () => gemm(left, right, workload.layout),
    finish,
    free: (product) => product.dispose(),
    read: async (product) => thinned(await product.data<'float32'>()),
    release: () => tf.dispose([left, right]),
  });
}

export async function prepareTraining(
  workload: TrainWorkload,
  { config, weights }: HostModel,
): Promise<Prepared> {
  const { learningRate, ...settings } = TRAINING;
  const data = trainingData(workload, config);
  const { rollouts, length, promptLength, tokens, advantages } = data;
  const policy = new LanguageModel(ModelWeights.fromHuggingFace(config, weights), length + 16);
  const optimizer = new Optimizer(policy.weights, settings);
  const sequences = Array.from({ length: rollouts }, (_, b) => {
    const all = Array.from(tokens.subarray(b * (length + 1), (b + 1) * (length + 1)));
    const completion = all.slice(promptLength);
    return {
      promptIds: all.slice(0, promptLength),
      tokens: completion,
      samplerLogprobs: completion.map(() => 0),
      advantage: advantages[b] as number,
    };
  });
  const loss = lossOf({ algorithm: 'reinforce', klBeta: 0 });
  const options = { policy, reference: null, optimizer, temperature: 1, loss, breathe };
  const step = () =>
    trainStep(packMicrobatches(sequences, 'token_mean', MICROBATCH_TOKENS), learningRate, options);

  const first = await step();
  const second = await step();
  return preparedWork(
    async () => void (await step()),
    Float32Array.from([first.loss, first.gradNorm, second.loss, second.gradNorm]),
    () => {
      optimizer.dispose();
      policy.dispose();
    },
  );
}

function createPool(model: GeneratorModel, { backend, wasmPath }: Environment): GeneratorPool {
  if (typeof Worker === 'undefined') return createLocalPool(model);
  return createWorkerPool({ size: GENERATORS, backend, wasmPath, model });
}

export async function prepareRollouts(
  workload: RolloutWorkload,
  { config, weights }: HostModel,
  environment: Environment,
): Promise<Prepared> {
  const { samples, promptLength, newTokens } = workload;
  const positions = promptLength + newTokens + 32;
  const host = ModelWeights.fromHuggingFace(config, weights);
  const packed = await host.pack();
  host.dispose();
  const pool = createPool({ config, stopTokenIds: [], positions }, environment);
  await pool.setWeights(0, packed);
  const prompts = promptsOf(workload, config);
  let step = 0;
  const generate = async (temperature: number): Promise<readonly (readonly number[])[]> => {
    step++;
    const requests = prompts.map((promptIds, problem): GroupRequest => {
      return { promptIds, samples, seed: 1, step, problem };
    });
    const sampling: SamplingSettings = { temperature, topP: 1, topK: 0, maxTokens: newTokens };
    const groups = await pool.generate(requests, sampling);
    return groups.flatMap(({ completions }) =>
      completions.map((completion) => {
        if (completion.stopReason === 'error') throw new Error(completion.error);
        return completion.tokens;
      }),
    );
  };
  const greedy = await generate(0);
  return preparedWork(
    async () => void (await generate(1)),
    Float32Array.from(greedy.flat()),
    () => pool.dispose(),
  );
}
