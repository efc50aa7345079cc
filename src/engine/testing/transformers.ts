/** transformers.js on files in memory, in a browser: onnxruntime comes from the page's own host, and nothing from elsewhere. */
import {
  AutoModelForCausalLM,
  env,
  pipeline,
  Tensor,
  type PreTrainedModel,
  type TextGenerationPipeline,
} from '@huggingface/transformers';

export type TransformersDevice = 'wasm' | 'webgpu';

type FileMap = ReadonlyMap<string, Uint8Array>;

const FOLDER = '/in-memory/';
const folders = new Map<string, FileMap>();

function answer(address: string): Response {
  const [model = '', ...path] = address.slice(address.indexOf(FOLDER) + FOLDER.length).split('/');
  const bytes = folders.get(model)?.get(path.join('/'));
  return bytes ? new Response(bytes.slice()) : new Response(null, { status: 404 });
}

env.allowRemoteModels = false;
env.allowLocalModels = true;
env.localModelPath = FOLDER;
env.useBrowserCache = false;
env.useWasmCache = false;
env.fetch = (address: string | URL) => Promise.resolve(answer(String(address)));
if (env.backends.onnx.wasm) {
  const file = `${location.origin}/onnxruntime/ort-wasm-simd-threaded.asyncify`;
  env.backends.onnx.wasm.wasmPaths = { mjs: `${file}.mjs`, wasm: `${file}.wasm` };
  env.backends.onnx.wasm.numThreads = 1;
}

/** A folder of files under a name that no other folder has. */
function mounted(files: FileMap): string {
  const name = `model-${folders.size}`;
  folders.set(name, files);
  return name;
}

export function openPipeline(files: FileMap, device: TransformersDevice): Promise<TextGenerationPipeline> {
  return pipeline('text-generation', mounted(files), { device });
}

export function openModel(files: FileMap, device: TransformersDevice): Promise<PreTrainedModel> {
  return AutoModelForCausalLM.from_pretrained(mounted(files), { device });
}

/** Token ids as a batch, padded on the left with `pad`. */
export function paddedBatch(sequences: readonly (readonly number[])[], pad: number) {
  const length = Math.max(...sequences.map((sequence) => sequence.length));
  const shape = [sequences.length, length];
  const rows = (fill: number, of: (token: number) => number): Tensor => {
    const values = sequences.flatMap((sequence) => [
      ...Array.from({ length: length - sequence.length }, () => fill),
      ...sequence.map(of),
    ]);
    return new Tensor('int64', BigInt64Array.from(values, BigInt), shape);
  };
  return { input_ids: rows(pad, (token) => token), attention_mask: rows(0, () => 1) };
}

/** Logits [row][positions of the row][vocabulary]. */
export async function transformersLogits(
  model: PreTrainedModel,
  sequences: readonly (readonly number[])[],
): Promise<number[][][]> {
  const { logits } = (await model.forward(paddedBatch(sequences, 0))) as { logits: Tensor };
  const all = logits.tolist() as number[][][];
  return all.map((rows, b) => rows.slice(rows.length - (sequences[b]?.length ?? 0)));
}

/** `count` greedy tokens after each sequence; none of them ends a row. */
export async function transformersGreedy(
  model: PreTrainedModel,
  sequences: readonly (readonly number[])[],
  count: number,
): Promise<number[][]> {
  const options = { max_new_tokens: count, do_sample: false, eos_token_id: null };
  // Its types demand a whole generation config, though it accepts a part.
  const loose = model as unknown as { generate(given: object): Promise<unknown> };
  const tokens = await loose.generate({ ...paddedBatch(sequences, 0), ...options });
  if (!(tokens instanceof Tensor)) throw new Error('transformers.js returned no tensor of tokens.');
  return (tokens.tolist() as bigint[][]).map((row) => row.slice(-count).map(Number));
}
