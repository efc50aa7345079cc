/** The ops of this room, written plainly in float64 from their papers' formulas, as oracles. Row-major arrays. */

const at = (values: ArrayLike<number>, i: number): number => values[i] ?? NaN;

export function rmsNormReference(
  x: Float64Array,
  gamma: Float64Array,
  epsilon: number,
  shift = 0,
): Float64Array {
  const width = gamma.length;
  const y = new Float64Array(x.length);
  for (let first = 0; first < x.length; first += width) {
    let squares = 0;
    for (let i = 0; i < width; i++) squares += at(x, first + i) ** 2;
    const root = Math.sqrt(squares / width + epsilon);
    for (let i = 0; i < width; i++) y[first + i] = (at(x, first + i) / root) * (at(gamma, i) + shift);
  }
  return y;
}

/** Rotates element i of a head with element i + headDim/2 by position · frequency_i. */
export function ropeReference(
  x: Float64Array,
  positions: Int32Array,
  frequencies: readonly number[],
): Float64Array {
  const half = frequencies.length;
  const width = x.length / positions.length;
  return x.map((value, i) => {
    const inHead = (i % width) % (2 * half);
    const angle = at(positions, Math.floor(i / width)) * at(frequencies, inHead % half);
    const partner = inHead < half ? -at(x, i + half) : at(x, i - half);
    return value * Math.cos(angle) + partner * Math.sin(angle);
  });
}

export function swigluReference(gate: Float64Array, up: Float64Array): Float64Array {
  return gate.map((z, i) => (z / (1 + Math.exp(-z))) * at(up, i));
}

export function gegluReference(gate: Float64Array, up: Float64Array): Float64Array {
  const root = Math.sqrt(2 / Math.PI);
  return gate.map((z, i) => 0.5 * z * (1 + Math.tanh(root * (z + 0.044715 * z ** 3))) * at(up, i));
}

/** A matrix in an array: element (i, j) is at `first` + i · `down` + j · `across`. */
export interface Placed {
  readonly values: ArrayLike<number>;
  readonly first?: number;
  readonly down: number;
  readonly across: number;
}

/** A matrix of that many columns in row-major order. */
export const inRows = (values: ArrayLike<number>, columns: number, first = 0): Placed => ({
  values,
  first,
  down: columns,
  across: 1,
});

/** Its transpose. */
export const transposed = ({ down, across, ...place }: Placed): Placed => ({
  ...place,
  down: across,
  across: down,
});

/** C [m, n] = A [m, k] · B [k, n] in row-major order. */
export function gemmReference(
  { m, n, k }: { m: number; n: number; k: number },
  a: Placed,
  b: Placed,
): Float64Array {
  // Copies that lie alike and are of one kind: central differences ask for a product hundreds of times.
  const [left, right] = [copied(a, m, k), copied(transposed(b), n, k)];
  const c = new Float64Array(m * n);
  for (let row = 0; row < m; row++) {
    for (let column = 0; column < n; column++) {
      let sum = 0;
      for (let i = 0; i < k; i++) sum += (left[row * k + i] ?? NaN) * (right[column * k + i] ?? NaN);
      c[row * n + column] = sum;
    }
  }
  return c;
}

function copied({ values, first = 0, down, across }: Placed, rows: number, columns: number): Float64Array {
  const copy = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) copy[i * columns + j] = at(values, first + i * down + j * across);
  return copy;
}

export function softmax(scores: readonly number[]): number[] {
  const max = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - max));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** One query over keys and values given as vectors. */
export function attendReference(
  query: ArrayLike<number>,
  keys: readonly ArrayLike<number>[],
  values: readonly ArrayLike<number>[],
  scale = 1 / Math.sqrt(query.length),
): number[] {
  const size = query.length;
  const scores = keys.map((key) => {
    let sum = 0;
    for (let i = 0; i < size; i++) sum += at(query, i) * at(key, i);
    return sum * scale;
  });
  const weights = softmax(scores);
  return Array.from({ length: size }, (_, i) =>
    weights.reduce((sum, weight, j) => sum + weight * at(values[j] ?? [], i), 0),
  );
}

/** log p(target) and entropy in nats of each row of logits at a temperature. */
export function logprobsReference(
  logits: Float64Array,
  targets: Int32Array,
  temperature: number,
): [logprob: Float64Array, entropy: Float64Array] {
  const vocab = logits.length / targets.length;
  const rows = Array.from(targets, (_, row) =>
    softmax(Array.from(logits.subarray(row * vocab, (row + 1) * vocab), (logit) => logit / temperature)),
  );
  return [
    Float64Array.from(rows, (p, row) => Math.log(at(p, at(targets, row)))),
    Float64Array.from(rows, (p) => -p.reduce((sum, value) => sum + value * Math.log(value), 0)),
  ];
}
