/** transformers.js generating with the same weights, exported to ONNX, in full precision and one batch without padding. */
import { AutoModelForCausalLM, env, Tensor, type PreTrainedModel } from '@huggingface/transformers';
import { hostModel, type HostModel } from '../../participants/model.ts';
import { promptsOf } from '../../participants/inputs.ts';
import { preparedWork } from '../../participants/timing.ts';
import type {
  Environment,
  OpenFiles,
  BackendName,
  LoadWorkload,
  Participant,
  Prepared,
  RolloutWorkload,
} from '../../types.ts';
import { exportOnnx } from '@rl-playground/bridges/onnx';
import type { ModelConfig } from '@rl-playground/engine/parts';

const MODEL = 'benchmark';

/** Gives transformers.js every file from memory, and onnxruntime's own from the page's host. */
function serveFromMemory({ onnxPath, threads, backend }: Environment, files: { current: FileMap }): void {
  env.allowRemoteModels = true;
  env.allowLocalModels = false;
  env.useBrowserCache = false;
  env.useCustomCache = true;
  env.useWasmCache = false;
  env.customCache = {
    match: (address: string) => Promise.resolve(responseOf(address, files.current)),
    put: () => Promise.resolve(),
  };
  const { wasm } = env.backends.onnx;
  if (!wasm) throw new Error('onnxruntime has no wasm settings here.');
  const name = backend === 'webgpu' ? 'ort-wasm-simd-threaded.asyncify' : 'ort-wasm-simd-threaded';
  wasm.wasmPaths = { mjs: `${onnxPath}${name}.mjs`, wasm: `${onnxPath}${name}.wasm` };
  wasm.numThreads = threads;
}

type FileMap = ReadonlyMap<string, Uint8Array>;

function responseOf(address: string, files: FileMap): Response | undefined {
  for (const [path, bytes] of files) {
    if (!address.endsWith(`/${path}`)) continue;
    const headers = { 'content-length': String(bytes.byteLength) };
    return new Response(bytes as Uint8Array<ArrayBuffer>, { headers });
  }
  return undefined;
}

const bytesOf = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** The fields of config.json that transformers.js reads: cache shapes and the class of the model. */
function configFile(config: ModelConfig): object {
  const classes = {
    llama: 'LlamaForCausalLM',
    mistral: 'MistralForCausalLM',
    qwen2: 'Qwen2ForCausalLM',
    qwen3: 'Qwen3ForCausalLM',
    arcee: 'ArceeForCausalLM',
  };
  return {
    architectures: [classes[config.modelType]],
    model_type: config.modelType,
    vocab_size: config.vocabSize,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    head_dim: config.headDim,
    intermediate_size: config.mlpSize,
    max_position_embeddings: config.maxPositions,
  };
}

/** A model as the files that transformers.js asks for, by path inside its folder. No token ends a completion: every one gets its full length. */
async function transformersFiles({ config, weights }: HostModel): Promise<ReadonlyMap<string, Uint8Array>> {
  return new Map([
    ['config.json', bytesOf(configFile(config))],
    ['generation_config.json', bytesOf({ eos_token_id: null })],
    ['onnx/model.onnx', await exportOnnx(config, weights)],
  ]);
}

function load(backend: BackendName): Promise<PreTrainedModel> {
  return AutoModelForCausalLM.from_pretrained(MODEL, { device: backend, dtype: 'fp32' });
}

interface Prompts {
  readonly ids: BigInt64Array;
  readonly rows: number;
  readonly length: number;
}

/** New tokens [rows · newTokens]. */
async function generate(
  model: PreTrainedModel,
  { ids, rows, length }: Prompts,
  newTokens: number,
  sampled: boolean,
): Promise<Float32Array> {
  const shape = [rows, length];
  const options = {
    inputs: new Tensor('int64', ids, shape),
    attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    max_new_tokens: newTokens,
    do_sample: sampled,
    temperature: 1,
    top_k: 0,
  };
  // Its types want a whole generation config, of which it takes a part.
  const output = await (model.generate as (given: object) => Promise<unknown>).call(model, options);
  if (!(output instanceof Tensor)) throw new Error('transformers.js returned no tensor of tokens.');
  const all = output.data as BigInt64Array;
  const width = length + newTokens;
  return Float32Array.from({ length: rows * newTokens }, (_, i) =>
    Number(all[Math.floor(i / newTokens) * width + length + (i % newTokens)] ?? -1),
  );
}

async function prepareRollouts(
  workload: RolloutWorkload,
  { config }: HostModel,
  backend: BackendName,
): Promise<Prepared> {
  const { groups, samples, promptLength, newTokens } = workload;
  const model = await load(backend);
  const prompts = promptsOf(workload, config);
  const rows = groups * samples;
  const ids = BigInt64Array.from(
    Array.from({ length: rows }, (_, row) => prompts[Math.floor(row / samples)] ?? []).flat(),
    BigInt,
  );
  const batch = { ids, rows, length: promptLength };
  const check = await generate(model, batch, newTokens, false);
  return preparedWork(
    async () => void (await generate(model, batch, newTokens, true)),
    check,
    async () => void (await model.dispose()),
  );
}

/** A session from the files in memory, and its first greedy token after one token of prompt. */
async function prepareLoad(backend: BackendName): Promise<Prepared> {
  const once = async (): Promise<Float32Array> => {
    const model = await load(backend);
    const first = await generate(model, { ids: BigInt64Array.of(1n), rows: 1, length: 1 }, 1, false);
    await model.dispose();
    return first;
  };
  const check = await once();
  return preparedWork(
    async () => void (await once()),
    check,
    () => {},
  );
}

export function createTransformers(environment: Environment, openFiles: OpenFiles): Promise<Participant> {
  const files: { current: FileMap } = { current: new Map() };
  serveFromMemory(environment, files);
  const { backend } = environment;
  const exported = async (workload: RolloutWorkload | LoadWorkload): Promise<HostModel> => {
    const host = await hostModel(workload.model, openFiles);
    files.current = await transformersFiles(host);
    return host;
  };
  return Promise.resolve({
    adapter: `transformers.js ${backend}`,
    async prepare(workload) {
      if (workload.kind === 'rollout') return prepareRollouts(workload, await exported(workload), backend);
      if (workload.kind === 'load') {
        await exported(workload);
        return prepareLoad(backend);
      }
      throw new Error(`The transformers.js peer does not run "${workload.kind}".`);
    },
    dispose: () => {},
  });
}
