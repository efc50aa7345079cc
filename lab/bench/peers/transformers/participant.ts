/** transformers.js sampling with the same weights, exported to ONNX: in full precision, and in one batch without padding. */
import { AutoModelForCausalLM, Tensor, type PreTrainedModel } from '@huggingface/transformers';
import { messageOf } from '@rl-playground/base/errors';
import { jsonBytes } from '@rl-playground/base/json';
import { serveFromMemory } from '@rl-playground/bridges/transformersJs';
import { exportOnnx } from '@rl-playground/bridges/testing/exportOnnx';
import { parameterCount, type ModelConfig } from '@rl-playground/engine/parts';
import { hostModel, type HostModel } from '../../participants/model.ts';
import { promptsOf } from '../../participants/inputs.ts';
import { preparedWork } from '../../participants/timing.ts';
import type {
  Environment,
  ModelSource,
  OpenFiles,
  Participant,
  Prepared,
  RolloutWorkload,
} from '../../types.ts';

/** The fields of config.json that transformers.js reads: the class of the model, and its sizes. */
const configFile = (config: ModelConfig): object => ({
  model_type: config.modelType,
  vocab_size: config.vocabSize,
  hidden_size: config.hiddenSize,
  num_hidden_layers: config.layers,
  num_attention_heads: config.heads,
  num_key_value_heads: config.kvHeads,
  head_dim: config.headDim,
  intermediate_size: config.mlpSize,
  max_position_embeddings: config.maxPositions,
});

/** The most bytes of weights that were tried. onnxruntime has several copies of them in its heap of 4 GB, and a tab that runs out ends the benchmark. */
const MOST_BYTES = 1.5e9;

/** @throws Error for an architecture that is not exported. */
async function graphOf({ config, weights }: HostModel): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = parameterCount(config) * Float32Array.BYTES_PER_ELEMENT;
  if (bytes > MOST_BYTES)
    throw new Error(
      `its weights take ${(bytes / 1e9).toFixed(2)} GB in f32, and at most ${MOST_BYTES / 1e9} GB are loaded. Choose a smaller model.`,
    );
  return (await exportOnnx(config, weights)) as Uint8Array<ArrayBuffer>;
}

/** A model as the files that transformers.js asks for. @throws Error for one that can't be exported. */
async function filesOf(
  source: ModelSource,
  openFiles: OpenFiles,
): Promise<{ readonly config: ModelConfig; readonly files: Map<string, Uint8Array<ArrayBuffer>> }> {
  const host = await hostModel(source, openFiles);
  const { config } = host;
  try {
    const files = new Map([
      ['config.json', jsonBytes(configFile(config))],
      ['model.onnx', await graphOf(host)],
    ]);
    return { config, files };
  } catch (error) {
    throw new Error(`not available: ${messageOf(error)}`, { cause: error });
  }
}

function load(
  files: Map<string, Uint8Array<ArrayBuffer>>,
  { backend: device, onnxPath: address, threads }: Environment,
): Promise<PreTrainedModel> {
  serveFromMemory(files, { device, address, threads });
  return AutoModelForCausalLM.from_pretrained('benchmark', { device, dtype: 'fp32' });
}

interface Asked {
  /** The prompts [rows, length]. */
  readonly prompts: readonly (readonly number[])[];
  readonly newTokens: number;
  readonly sampled: boolean;
}

/** Returns the new tokens [rows · newTokens]. None of them ends a row. */
async function generate(
  model: PreTrainedModel,
  { prompts, newTokens, sampled }: Asked,
): Promise<Float32Array> {
  const given = BigInt64Array.from(prompts.flat(), BigInt);
  const shape = [prompts.length, given.length / prompts.length];
  const options = {
    inputs: new Tensor('int64', given, shape),
    attention_mask: new Tensor(
      'int64',
      given.map(() => 1n),
      shape,
    ),
    max_new_tokens: newTokens,
    eos_token_id: null,
    do_sample: sampled,
    temperature: 1,
    top_k: 0,
  };
  // Its types want a whole generation config, of which it takes a part.
  const loose = model as unknown as { generate(given: object): Promise<unknown> };
  const tokens = await loose.generate(options);
  if (!(tokens instanceof Tensor)) throw new Error('transformers.js returned no tensor of tokens.');
  const rows = tokens.tolist() as bigint[][];
  return Float32Array.from(
    rows.flatMap((row) => row.slice(-newTokens)),
    Number,
  );
}

/** An adapter as a run begins changes no number, so that its base does the same work. */
async function prepareRollouts(
  workload: RolloutWorkload,
  environment: Environment,
  openFiles: OpenFiles,
): Promise<Prepared> {
  const { samples, newTokens } = workload;
  const { config, files } = await filesOf(workload.model, openFiles);
  const prompts = promptsOf(workload, config).flatMap((prompt) =>
    Array.from({ length: samples }, () => prompt),
  );
  const model = await load(files, environment);
  const tokens = (sampled: boolean): Promise<Float32Array> =>
    generate(model, { prompts, newTokens, sampled });
  return preparedWork(
    async () => void (await tokens(true)),
    await tokens(false),
    async () => void (await model.dispose()),
  );
}

export function createTransformers(environment: Environment, openFiles: OpenFiles): Promise<Participant> {
  return Promise.resolve({
    adapter: `transformers.js ${environment.backend}`,
    prepare(workload) {
      if (workload.kind === 'rollout') return prepareRollouts(workload, environment, openFiles);
      throw new Error(`The transformers.js peer does not run "${workload.kind}".`);
    },
  });
}
