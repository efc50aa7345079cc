/** transformers.js on files in memory. Nothing is fetched but onnxruntime, from a page's own host. */
import { env, LogLevel } from '@huggingface/transformers';

/** The device that onnxruntime computes on. */
export type OnnxDevice = 'webgpu' | 'wasm';

/** The contents of a model's files by name, without folders. Whoever is given them may take out what is no longer needed. */
export type FileContents = Map<string, Uint8Array<ArrayBuffer>>;

const FOLDER = '/in-memory/';

/** onnxruntime for each device: the build that also has WebGPU is twice as large. */
const BUILDS = { wasm: 'ort-wasm-simd-threaded', webgpu: 'ort-wasm-simd-threaded.asyncify' } as const;

export interface Runtime {
  readonly device: OnnxDevice;
  /** The address of the folder with onnxruntime's files, with the closing slash. */
  readonly address: string;
  /** The number of CPU threads. The first model that is loaded decides it. */
  readonly threads: number;
}

/** Gives transformers.js every file of a model from `files`, by its name without folders, from here on. It takes out those that are no JSON. */
export function serveFromMemory(files: FileContents, { device, address, threads }: Runtime): void {
  // What fails is an outcome, and is told once.
  env.logLevel = LogLevel.NONE;
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = FOLDER;
  env.useBrowserCache = false;
  env.useWasmCache = false;
  env.fetch = (path: string | URL) => {
    const file = String(path).split('/').at(-1) ?? '';
    const bytes = files.get(file);
    // onnxruntime has a copy of its own.
    if (!file.endsWith('.json')) files.delete(file);
    return Promise.resolve(bytes ? new Response(bytes) : new Response(null, { status: 404 }));
  };
  const { wasm } = env.backends.onnx;
  if (!wasm) return;
  const build = `${address}${BUILDS[device]}`;
  wasm.wasmPaths = { mjs: `${build}.mjs`, wasm: `${build}.wasm` };
  wasm.numThreads = threads;
}
