/** The files of a reward model as its worker takes them, of a folder in the layout of the Hub or flat. */
import {
  contentOf,
  flatName,
  ModelFileError,
  ONNX_TEXTS,
  onnxChoice,
  type ModelFiles,
} from '@rl-playground/engine/parts';
import type { FileContents, OnnxDevice } from '../transformersJs/index.ts';

/** @throws ModelFileError where the folder lacks a file that is needed. */
export function chosenPaths(
  { label, names }: Pick<ModelFiles, 'label' | 'names'>,
  device: OnnxDevice,
): string[] {
  const paths = onnxChoice(names ?? [], device);
  if (paths !== null) return paths;
  const found = names === undefined || names.length === 0 ? 'no files' : names.slice(0, 8).join(', ');
  throw new ModelFileError(
    `${label}: a reward model needs ${ONNX_TEXTS.join(', ')} and an ONNX file such as onnx/model.onnx, and there is ${found}. Choose a copy for transformers.js, such as those of Xenova and onnx-community on the Hub.`,
  );
}

/** The bytes of all files together. */
export async function bytesOf(files: ModelFiles, device: OnnxDevice): Promise<number> {
  let bytes = 0;
  for (const path of chosenPaths(files, device)) bytes += (await files.open(path))?.size ?? 0;
  return bytes;
}

/** Reads the files. Nobody else has their bytes, so they may be given away. */
export async function contentsOf(files: ModelFiles, device: OnnxDevice): Promise<FileContents> {
  const contents = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const path of chosenPaths(files, device)) {
    const file = await files.open(path);
    if (file === null) throw new ModelFileError(`${files.label}: ${path} has gone. Choose the model again.`);
    contents.set(flatName(path), Uint8Array.from(await contentOf(file)));
  }
  return contents;
}
