/** A run's model as a zip that transformers.js loads. Loaded when it is asked for, with the exporter. */
import { breathe } from '../../backend/eventLoop.ts';
import { exportOnnxPausing } from '../../hub/onnx/export.ts';
import { onnxFolder } from '../../hub/onnx/folder.ts';
import { openBytes } from '../../hub/openFiles.ts';
import type { LoadedModel, OpenFile } from '../../hub/types.ts';
import { widened } from '../../model/storedWeights.ts';

/** Milliseconds of work between two turns of the event loop. */
const TURN = 25;

/**
 * What the zip holds, by path; `onProgress` hears of shares from 0 to 1. Equal models give equal bytes.
 * @throws RangeError where the model is larger than one ONNX file can hold.
 */
export async function onnxFiles(
  model: LoadedModel,
  onProgress: (share: number) => void,
): Promise<Map<string, OpenFile>> {
  let turn = performance.now();
  const onnx = await exportOnnxPausing(model.config, await widened(model.weights), async (done, total) => {
    if (performance.now() - turn < TURN) return;
    onProgress(done / total);
    await breathe();
    turn = performance.now();
  });
  return new Map([...onnxFolder(model, onnx)].map(([name, bytes]) => [name, openBytes(bytes)]));
}
