/** Between the tensors of a PEFT file and one packed array in the layout of `adapterSpecs`. */
import type { ModelConfig } from './config.ts';
import { adapterLength, adapterSpecs, peftName, type AdapterMatrix, type LoraSettings } from './lora.ts';
import type { ArrayMap } from './poolLayout.ts';

type NamedMatrix = readonly [name: string, matrix: AdapterMatrix];

function namedMatrices(config: ModelConfig, settings: LoraSettings): NamedMatrix[] {
  return adapterSpecs(config, settings).flatMap(({ module, a, b }): NamedMatrix[] => [
    [peftName(module, 'A'), a],
    [peftName(module, 'B'), b],
  ]);
}

/** Calls `move(ours, theirs)` with the index of each number of a matrix in the pool and in its transpose. */
function eachElement(
  { offset, shape: [rows, columns] }: AdapterMatrix,
  move: (ours: number, theirs: number) => void,
): void {
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      move(offset + row * columns + column, column * rows + row);
    }
  }
}

/** Throws on a missing name. Shapes are the reader's to verify. */
export function packPeft(
  config: ModelConfig,
  settings: LoraSettings,
  arrays: ReadonlyMap<string, { readonly data: Float32Array }>,
): Float32Array<ArrayBuffer> {
  const pool = new Float32Array(adapterLength(config, settings));
  for (const [name, matrix] of namedMatrices(config, settings)) {
    const array = arrays.get(name);
    if (!array) throw new Error(`The adapter lacks ${name}.`);
    eachElement(matrix, (ours, theirs) => (pool[ours] = array.data[theirs] as number));
  }
  return pool;
}

/** Names, shapes, layout and order of a PEFT file, from a pool. Throws when the length differs. */
export function unpackPeft(config: ModelConfig, settings: LoraSettings, pool: Float32Array): ArrayMap {
  const needed = adapterLength(config, settings);
  if (pool.length !== needed) {
    throw new Error(
      `A packed adapter holds ${pool.length} numbers; this model and these settings need ${needed}.`,
    );
  }
  return new Map(
    namedMatrices(config, settings).map(([name, matrix]) => {
      const [rows, columns] = matrix.shape;
      const data = new Float32Array(rows * columns);
      eachElement(matrix, (ours, theirs) => (data[theirs] = pool[ours] as number));
      return [name, { shape: [columns, rows], data }];
    }),
  );
}
