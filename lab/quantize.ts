/**
 * `npm run lab -- quantize`: quantizes the matrices of a model to each type of GGUF, and reports bytes, bits a weight and the error (root of mean
 * squares, in percent of that of the weights). Exit codes: 0 done, 2 bad arguments or a model that can't be used.
 */
import { printLine } from '@rl-playground/base/print';
import { bytesText } from '@rl-playground/base/text';
import {
  decode,
  EMBEDDING,
  HEAD,
  piecesOf,
  readNumbers,
  storedAs,
  storedBytes,
  type StoredTensor,
  type WritableType,
} from '@rl-playground/engine/parts';
import { ggufTypeOf, typesOf } from '@rl-playground/run/export';
import { loadModelNamed } from '@rl-playground/run/models/node';
import { command, simpleProgram } from '../src/cli/program.ts';
import { tableOf, tableRow } from './markdown.ts';

interface Options {
  readonly each?: true;
}

const line = () =>
  command(
    'npm run lab -- quantize',
    'Quantizes the matrices of a model to each type of GGUF that the export offers, and reports sizes, errors and seconds.',
    'model.gguf',
  )
    .argument('[model]', 'any model by its name', 'starter')
    .option('--each', 'a line for each matrix, too');

/** Sums of squares over matrices, and of the squares of what was lost; bytes and seconds. */
interface Loss {
  squares: number;
  lost: number;
  numbers: number;
  bytes: number;
  seconds: number;
}

const none = (): Loss => ({ squares: 0, lost: 0, numbers: 0, bytes: 0, seconds: 0 });

/** Both are read piece by piece. */
async function lossOf(name: string, tensor: StoredTensor, type: WritableType): Promise<Loss> {
  const loss = { ...none(), bytes: storedBytes({ ...tensor, dtype: type }) };
  let began = performance.now();
  for await (const bytes of piecesOf(storedAs(name, tensor, type))) {
    loss.seconds += (performance.now() - began) / 1000;
    const found = decode(bytes, type);
    const wanted = await readNumbers(tensor, loss.numbers, loss.numbers + found.length);
    for (let i = 0; i < found.length; i++) {
      const value = wanted[i] as number;
      loss.squares += value * value;
      loss.lost += ((found[i] as number) - value) ** 2;
    }
    loss.numbers += found.length;
    began = performance.now();
  }
  return loss;
}

function add(sum: Loss, { squares, lost, numbers, bytes, seconds }: Loss): void {
  sum.squares += squares;
  sum.lost += lost;
  sum.numbers += numbers;
  sum.bytes += bytes;
  sum.seconds += seconds;
}

const percentOf = ({ lost, squares }: Loss): string =>
  (100 * Math.sqrt(squares === 0 ? 0 : lost / squares)).toFixed(3);
const bitsOf = ({ bytes, numbers }: Loss): string => ((8 * bytes) / Math.max(1, numbers)).toFixed(2);

export default simpleProgram<Options>(line, async ({ each }, [name = 'starter']) => {
  const { weights } = await loadModelNamed(name);
  const matrices = [...weights].filter(([, { shape }]) => shape.length > 1);
  const rows: string[] = [];
  for (const type of typesOf('gguf')) {
    if (type === 'base') continue;
    const [layers, ends] = [none(), none()];
    for (const [matrix, tensor] of matrices) {
      const stored = ggufTypeOf(matrix, tensor, type);
      const loss = await lossOf(matrix, tensor, stored);
      add(matrix === EMBEDDING || matrix === HEAD ? ends : layers, loss);
      if (each) printLine(`${type} ${matrix}: ${stored}, ${bitsOf(loss)} bits, ${percentOf(loss)} %`);
    }
    const bytes = bytesText(layers.bytes + ends.bytes);
    const seconds = (layers.seconds + ends.seconds).toFixed(1);
    rows.push(
      tableRow([type, bytes, bitsOf(layers), percentOf(layers), bitsOf(ends), percentOf(ends), seconds]),
    );
  }
  const heads = [
    'type',
    'bytes',
    'bits in layers',
    'error, %',
    'bits in embedding and head',
    'error, %',
    'seconds',
  ];
  printLine(tableOf(heads, rows));
});
