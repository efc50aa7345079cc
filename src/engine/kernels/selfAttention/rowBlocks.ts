/**
 * Attention in named registers. An invocation takes a block of query rows of a head (forward, dq) or of key rows of a key/value head (dk,
 * dv) past the other rows of its sequence, some at a time, so that a row once loaded serves the whole block. With `quads`, four
 * neighbours take four such blocks; each loads one of the passing rows, and they swap. An element sums over the positions in ascending
 * order; under `quads`, the order within four passing rows depends on its own position.
 */
import { lines, QUAD_SWAPS, range, rowVectors } from '../shared/vectors.ts';

export interface RowBlock {
  /** The number of rows of one invocation. */
  readonly rows: number;
  /** The number of rows that pass at once: on a CPU, stores to variables cost as much as the arithmetic. It is four under `quads`. */
  readonly atOnce: number;
  readonly quads: boolean;
}

/** The number of rows of an item. */
export const itemRows = ({ rows, quads }: RowBlock): number => rows * (quads ? 4 : 1);

/**
 * Finds the item: `head` of `heads`, the sequence's first row `row0`, the block's first position `begin`, and the positions `t0 …` and
 * rows `own0 …` of the invocation. A position beyond the end has the last row and is not stored.
 */
function findBlock(block: RowBlock, pieces: number, heads: string): string {
  const size = itemRows(block);
  return /* wgsl */ `
  let blocks = (params.length + ${size - 1}u) / ${size}u;
  let begin = item % blocks * ${size}u;
  let head = item / blocks % ${heads};
  let row0 = item / blocks / ${heads} * params.length;
  let last = params.length - 1u;
  let stride = (params.heads + 2u * params.kvHeads) * ${pieces}u;
  let toValue = params.kvHeads * ${pieces}u;
  ${lines(
    block.rows,
    (r) => `let t${r} = begin + ${block.quads ? `${4 * r}u + lane` : `${r}u`};
  let own${r} = row0 + min(t${r}, last);`,
  )}`;
}

/** The index of a lane's k-th row among those that pass at once. */
const passingAt = ({ quads }: RowBlock, k: number): string => (quads ? `j + (lane ^ ${k}u)` : `j + ${k}u`);

/**
 * Declares `name0_0 …`: `count` values of each of the rows from j on that pass at once, from `buffer` at the place that `at` finds for a
 * row of the batch. Rows beyond the sequence's end repeat its last.
 */
function passing(
  { atOnce, quads }: RowBlock,
  name: string,
  count: number,
  buffer: string,
  at: (row: string) => string,
): string {
  const load = (as: string, offset: string): string => `
    let ${as}At = ${at(`(row0 + min(j + ${offset}, last))`)};
    ${lines(count, (i) => `let ${as}_${i} = ${buffer}[${as}At + ${i}u];`)}`;
  if (!quads) return lines(atOnce, (k) => load(`${name}${k}`, `${k}u`));
  const swap = (k: number): string =>
    lines(count, (i) => `let ${name}${k}_${i} = ${QUAD_SWAPS[k]}(${name}Own_${i});`);
  return `${load(`${name}Own`, 'lane')}\n${lines(QUAD_SWAPS.length, swap)}`;
}

/** Statements of the three kernels. All need `params` of length, heads, kvHeads, scale and window, and `inner`. */
export function rowBlockBodies(headDim: number, block: RowBlock) {
  const { type, count, each, sum } = rowVectors(headDim);
  const { rows, atOnce } = block;
  const inner = (a: string, b: string): string => sum((i) => `inner(${a}_${i}, ${b}_${i})`);
  const at = (k: number): string => passingAt(block, k);
  const ownRows = (line: (r: number) => string): string => lines(rows, line);
  const passingRows = (line: (k: number) => string): string => lines(atOnce, line);
  /** Adds to a sum the terms of the rows that pass at once. */
  const added = (sum: string, term: (k: number) => string): string =>
    range(atOnce).reduce((before, k) => `fma(${term(k)}, ${before})`, sum);
  /** True if a query sees a key: the difference of a query to a later key is a huge number. */
  const sees = (query: string, key: string): string => `${query} - (${key}) < params.window`;
  const storeOwn = (line: (r: number) => string): string =>
    ownRows((r) => `if (t${r} < params.length) {\n${line(r)}\n}`);
  const passKeys = passing(block, 'k', count, 'qkv', (row) => `keyBase + ${row} * stride`);
  const passValues = passing(block, 'v', count, 'qkv', (row) => `keyBase + toValue + ${row} * stride`);

  const findQueries = /* wgsl */ `${findBlock(block, count, 'params.heads')}
  let keyBase = (params.heads + head * params.kvHeads / params.heads) * ${count}u;
  let end = min(begin + ${itemRows(block)}u, params.length);
  let firstSeen = (begin + 1u - min(begin + 1u, params.window)) / ${atOnce}u * ${atOnce}u;
  ${ownRows((r) => each((i) => `let q${r}_${i} = qkv[own${r} * stride + head * ${count}u + ${i}u] * params.scale;`))}`;

  /**
   * Reads `qkv`, and writes `mixed` and `logSumExp`. Hidden keys before the first that a query sees have weights, which that key's
   * maximum makes 0.
   */
  const forward = /* wgsl */ `${findQueries}
  ${ownRows((r) => `var highest${r} = -1.0e30;\nvar total${r} = 0.0;\n${each((i) => `var o${r}_${i} = ${type}();`)}`)}
  for (var j = firstSeen; j < end; j += ${atOnce}u) {
    ${passKeys}
    ${ownRows(
      (r) => /* wgsl */ `
    ${passingRows((k) => `let s${r}_${k} = select(-1.0e30, ${inner(`q${r}`, `k${k}`)}, ${sees(`t${r}`, at(k))});`)}
    let next${r} = ${range(atOnce).reduce((most, k) => `max(${most}, s${r}_${k})`, `highest${r}`)};
    let keep${r} = exp(highest${r} - next${r});
    highest${r} = next${r};
    ${passingRows((k) => `let w${r}_${k} = exp(s${r}_${k} - next${r});`)}
    total${r} = total${r} * keep${r}${range(atOnce)
      .map((k) => ` + w${r}_${k}`)
      .join('')};`,
    )}
    ${passValues}
    ${ownRows((r) => each((i) => `o${r}_${i} = ${added(`o${r}_${i} * keep${r}`, (k) => `${type}(w${r}_${k}), v${k}_${i}`)};`))}
  }
  ${storeOwn(
    (r) => /* wgsl */ `
    let mixedAt = own${r} * params.heads + head;
    ${each((i) => `mixed[mixedAt * ${count}u + ${i}u] = o${r}_${i} / total${r};`)}
    logSumExp[mixedAt] = highest${r} + log(total${r});`,
  )}`;

  /** Reads `qkv`, `mixed`, `logSumExp` and `dy`, and writes the columns of q in `dqkv`, and D = Σ do ⊙ o as `rowDots`. */
  const queryGradient = /* wgsl */ `${findQueries}
  ${ownRows(
    (r) => /* wgsl */ `
  let mixedAt${r} = own${r} * params.heads + head;
  let lse${r} = logSumExp[mixedAt${r}];
  ${each((i) => `let y${r}_${i} = dy[mixedAt${r} * ${count}u + ${i}u];\nvar dq${r}_${i} = ${type}();`)}
  let rowDot${r} = ${sum((i) => `inner(y${r}_${i}, mixed[mixedAt${r} * ${count}u + ${i}u])`)};`,
  )}
  for (var j = firstSeen; j < end; j += ${atOnce}u) {
    ${passKeys}
    ${passValues}
    ${ownRows((r) =>
      passingRows(
        (k) => /* wgsl */ `
    let p${r}_${k} = exp(select(-1.0e30, ${inner(`q${r}`, `k${k}`)} - lse${r}, ${sees(`t${r}`, at(k))}));
    let ds${r}_${k} = p${r}_${k} * (${inner(`y${r}`, `v${k}`)} - rowDot${r}) * params.scale;`,
      ),
    )}
    ${ownRows((r) => each((i) => `dq${r}_${i} = ${added(`dq${r}_${i}`, (k) => `${type}(ds${r}_${k}), k${k}_${i}`)};`))}
  }
  ${storeOwn(
    (r) => `${each((i) => `dqkv[own${r} * stride + head * ${count}u + ${i}u] = dq${r}_${i};`)}
    rowDots[mixedAt${r}] = rowDot${r};`,
  )}`;

  /**
   * Reads `qkv`, `logSumExp`, `dy` and `rowDots`, and writes the columns of k and v in `dqkv`. A key row sums over the heads that it
   * serves and, within each, over the positions from its own to the last that sees it.
   */
  const keyValueGradient = /* wgsl */ `${findBlock(block, count, 'params.kvHeads')}
  let served = params.heads / params.kvHeads;
  let seenUntil = min(params.length, begin + ${itemRows(block) - 1}u + params.window);
  ${ownRows(
    (r) => /* wgsl */ `
  let keyAt${r} = own${r} * stride + (params.heads + head) * ${count}u;
  ${each(
    (i) => `let k${r}_${i} = qkv[keyAt${r} + ${i}u] * params.scale;
  let v${r}_${i} = qkv[keyAt${r} + toValue + ${i}u];
  var dk${r}_${i} = ${type}();
  var dv${r}_${i} = ${type}();`,
  )}`,
  )}
  for (var h = head * served; h < (head + 1u) * served; h++) {
    for (var j = begin / ${atOnce}u * ${atOnce}u; j < seenUntil; j += ${atOnce}u) {
      ${passing(block, 'q', count, 'qkv', (row) => `${row} * stride + h * ${count}u`)}
      ${passing(block, 'y', count, 'dy', (row) => `(${row} * params.heads + h) * ${count}u`)}
      ${passing(block, 'lse', 1, 'logSumExp', (row) => `${row} * params.heads + h`)}
      ${passing(block, 'rowDot', 1, 'rowDots', (row) => `${row} * params.heads + h`)}
      ${ownRows((r) =>
        passingRows(
          (k) => /* wgsl */ `
      let sees${r}_${k} = ${sees(at(k), `t${r}`)} && ${at(k)} < params.length;
      let p${r}_${k} = exp(select(-1.0e30, ${inner(`k${r}`, `q${k}`)} - lse${k}_0, sees${r}_${k}));
      let ds${r}_${k} = p${r}_${k} * (${inner(`v${r}`, `y${k}`)} - rowDot${k}_0) * params.scale;`,
        ),
      )}
      ${ownRows((r) =>
        each(
          (i) => `dk${r}_${i} = ${added(`dk${r}_${i}`, (k) => `${type}(ds${r}_${k}), q${k}_${i}`)};
      dv${r}_${i} = ${added(`dv${r}_${i}`, (k) => `${type}(p${r}_${k}), y${k}_${i}`)};`,
        ),
      )}
    }
  }
  ${storeOwn((r) =>
    each(
      (i) => `dqkv[keyAt${r} + ${i}u] = dk${r}_${i};
    dqkv[keyAt${r} + toValue + ${i}u] = dv${r}_${i};`,
    ),
  )}`;
  return { forward, queryGradient, keyValueGradient };
}
