/** The files of a repository or folder that transformers.js needs of a model: its texts, and one of its ONNX files. */

/** The texts of a model and its tokenizer, and those without which there is none. */
export const ONNX_TEXTS = ['config.json', 'tokenizer.json', 'tokenizer_config.json'] as const;

/** The ONNX files by preference: WebGPU has no fast products of whole numbers, and the CPU no fast ones of half floats. */
const BY_DEVICE = {
  wasm: ['_quantized', '_int8', '_uint8', '', '_fp16', '_q4', '_q4f16'],
  webgpu: ['', '_fp16', '_q4f16', '_q4', '_quantized', '_int8', '_uint8'],
} as const;

/** The folders that the files lie in, the usual one first. */
const FOLDERS = ['onnx/', ''];

/** The paths of the ONNX files that a device can use, the best first. */
export const onnxPaths = (device: 'wasm' | 'webgpu'): string[] =>
  FOLDERS.flatMap((folder) => BY_DEVICE[device].map((suffix) => `${folder}model${suffix}.onnx`));

/** Chooses among the paths of a folder: texts first, then the graph with its data files; null where a text or every graph is missing. */
export function onnxChoice(paths: readonly string[], device: 'wasm' | 'webgpu'): string[] | null {
  const graph = onnxPaths(device).find((path) => paths.includes(path));
  if (graph === undefined || !ONNX_TEXTS.every((name) => paths.includes(name))) return null;
  return [...ONNX_TEXTS, graph, ...paths.filter((path) => path.startsWith(`${graph}_data`))];
}

export const isOnnxName = (path: string): boolean => path.endsWith('.onnx');

/** The name of a chosen file where all of them lie in one folder. */
export const flatName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
