/**
 * Rounds a linear map to Q4_1 so that its outputs stay, not its numbers: the weights Q that minimize Σ |W x − Q x̂|² + λ |W − Q|² over some
 * inputs. x̂ is the input that the map gets behind rounded layers, and x what it was before, so that Q makes up for what those lost, too.
 * The last term keeps near to W what few inputs say nothing about. With H = Σ x̂ x̂ᵀ + λ I and A = Σ x x̂ᵀ + λ I, a row's error changes along
 * column j as its residual g = w A − q H says: the best code is the nearest to q_j + g_j / H_jj. Columns take turns, and what one leaves
 * the next ones make up for (QuantEase, Behdin et al. 2023; the problem is that of GPTQ, Frantar et al. 2023). After each round the scale
 * and the offset of a group are solved for, with its codes fixed.
 */
import { Block } from './blockWriter.ts';
import { fitLine, type Line } from './fit.ts';
import { lineOnGrid } from './grid.ts';
import { nearestHalf, ROUNDING } from './scales.ts';
import { writeQ4_1 } from './quantizeBlocks.ts';

/** Sums over the inputs of a map, [columns, columns] each. */
export interface InputSums {
  /** Σ x̂ x̂ᵀ. */
  readonly rounded: Float32Array;
  /** Σ x x̂ᵀ. */
  readonly crossed: Float32Array;
}

const GROUP = 32;
const ALL = { first: 0, end: GROUP };
const TOP = 15;
/** λ in terms of the mean of the diagonal of Σ x̂ x̂ᵀ. */
const NEARNESS = 0.1;
/** Few rows need so many. */
const ROUNDS = 30;

/** The sums with the term of λ, in float64. */
function withNearness(
  { rounded, crossed }: InputSums,
  columns: number,
): { h: Float64Array; a: Float64Array } {
  const h = Float64Array.from(rounded);
  const a = Float64Array.from(crossed);
  let trace = 0;
  for (let j = 0; j < columns; j++) trace += h[j * columns + j] as number;
  // Where all inputs are 0 any λ keeps the weights.
  const lambda = NEARNESS * (trace / columns) || 1;
  for (let j = 0; j < columns; j++) {
    h[j * columns + j] = (h[j * columns + j] as number) + lambda;
    a[j * columns + j] = (a[j * columns + j] as number) + lambda;
  }
  return { h, a };
}

/** A row of weights while its codes are looked for. */
class Row {
  readonly codes: Float64Array;
  readonly lines: Line[];
  readonly #h: Float64Array;
  readonly #columns: number;
  readonly #residual: Float64Array;

  constructor(weights: Float32Array, h: Float64Array, a: Float64Array) {
    const columns = weights.length;
    this.#columns = columns;
    this.#h = h;
    this.codes = new Float64Array(columns);
    this.#residual = new Float64Array(columns);
    this.lines = [];
    for (let k = 0; k < columns; k++) this.#addTo(this.#residual, weights[k] as number, a, k);
    const block = new Block(GROUP, new Uint8Array());
    for (let first = 0; first < columns; first += GROUP) {
      block.x.set(weights.subarray(first, first + GROUP));
      const line: Line = { scale: 0, offset: 0 };
      if (!lineOnGrid(block.x, ALL, TOP, line)) fitLine(block.x, ALL, TOP, false, line);
      line.scale = nearestHalf(line.scale);
      line.offset = nearestHalf(line.offset);
      this.lines.push(line);
      for (let i = 0; i < GROUP; i++) this.codes[first + i] = codeOf(block.x[i] as number, line);
    }
    for (let k = 0; k < columns; k++) this.#addTo(this.#residual, -this.#value(k), h, k);
  }

  #value(column: number): number {
    const { scale, offset } = this.lines[Math.floor(column / GROUP)] as Line;
    return offset + scale * (this.codes[column] as number);
  }

  #addTo(sums: Float64Array, factor: number, matrix: Float64Array, row: number): void {
    if (factor === 0) return;
    const from = row * this.#columns;
    for (let j = 0; j < sums.length; j++)
      sums[j] = (sums[j] as number) + factor * (matrix[from + j] as number);
  }

  /** Gives each column of a group the best code beside all others. Returns true if one has changed. */
  drawCodes(group: number): boolean {
    const line = this.lines[group] as Line;
    if (line.scale === 0) return false;
    let changed = false;
    for (let j = group * GROUP; j < (group + 1) * GROUP; j++) {
      const slope = (this.#residual[j] as number) / (this.#h[j * this.#columns + j] as number);
      const code = codeOf(this.#value(j) + slope, line);
      const moved = (code - (this.codes[j] as number)) * line.scale;
      if (moved === 0) continue;
      changed = true;
      this.codes[j] = code;
      this.#addTo(this.#residual, -moved, this.#h, j);
    }
    return changed;
  }

  /** Solves for the scale and the offset of a group: the two equations of least squares in what is added to each. */
  solveLine(group: number): void {
    const line = this.lines[group] as Line;
    const first = group * GROUP;
    let [cc, co, oo, gc, go] = [0, 0, 0, 0, 0];
    for (let i = first; i < first + GROUP; i++) {
      const code = this.codes[i] as number;
      for (let j = first; j < first + GROUP; j++) {
        const weight = this.#h[i * this.#columns + j] as number;
        cc += code * weight * (this.codes[j] as number);
        co += code * weight;
        oo += weight;
      }
      gc += code * (this.#residual[i] as number);
      go += this.#residual[i] as number;
    }
    const determinant = cc * oo - co * co;
    if (determinant <= 1e-9 * cc * oo) return;
    const scale = nearestHalf(line.scale + (oo * gc - co * go) / determinant);
    const offset = nearestHalf(line.offset + (cc * go - co * gc) / determinant);
    const [ds, dm] = [scale - line.scale, offset - line.offset];
    // Rounding to f16 may lose more than was gained.
    if (2 * (ds * gc + dm * go) <= ds * ds * cc + 2 * ds * dm * co + dm * dm * oo) return;
    line.scale = scale;
    line.offset = offset;
    for (let i = first; i < first + GROUP; i++)
      this.#addTo(this.#residual, -(ds * (this.codes[i] as number) + dm), this.#h, i);
  }
}

/** The code from 0 to 15 of the nearest number on a line. */
function codeOf(value: number, { scale, offset }: Line): number {
  if (scale === 0) return 0;
  return Math.min(TOP, Math.max(0, (value - offset) / scale + ROUNDING - ROUNDING));
}

/**
 * Rows of weights [out, columns] as blocks of Q4_1. `rest` is awaited between rows.
 * @throws RangeError if a scale is beyond f16.
 */
export async function fitToInputs(
  values: Float32Array,
  columns: number,
  sums: InputSums,
  rest: () => Promise<void> | void,
): Promise<Uint8Array<ArrayBuffer>> {
  const { h, a } = withNearness(sums, columns);
  const bytes = new Uint8Array((values.length / GROUP) * 20);
  const block = new Block(GROUP, bytes);
  for (let first = 0; first < values.length; first += columns) {
    const row = new Row(values.subarray(first, first + columns), h, a);
    const { lines, codes } = row;
    let changed = true;
    for (let round = 0; round < ROUNDS && changed; round++) {
      changed = false;
      for (let group = 0; group < lines.length; group++) {
        if (row.drawCodes(group)) changed = true;
        row.solveLine(group);
      }
    }
    for (const [group, line] of lines.entries()) {
      block.codes.set(codes.subarray(group * GROUP, (group + 1) * GROUP));
      writeQ4_1(block, line);
      block.at += 20;
    }
    await rest();
  }
  return bytes;
}
