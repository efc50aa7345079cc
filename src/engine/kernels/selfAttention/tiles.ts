/**
 * Attention in workgroup memory, for wide heads on hardware, where a row and its sums would not fit into registers. A workgroup keeps a
 * block of its own rows (queries, or keys in the last kernel) and takes tiles of the others past them. Each lane computes several rows by
 * several columns of a tile's scores, and then of the sums. An element sums over the positions in ascending order.
 */
import { lines } from '../shared/vectors.ts';

export interface AttentionTiles {
  /** The rows of the workgroup: 8, 16 or 32. */
  readonly own: number;
  /** The rows that pass at once: 8 or 16. */
  readonly passing: number;
}

export const TILE_LANES = 64;
/** The lanes side by side, and rows of lanes. */
const ACROSS = 8;

const TILES: readonly AttentionTiles[] = [
  { own: 32, passing: 16 },
  { own: 16, passing: 16 },
  { own: 16, passing: 8 },
  { own: 8, passing: 8 },
];

/** The largest tiles that fit into workgroup memory, or null if none do. */
export function tilesFor(headDim: number, maxBytes: number): AttentionTiles | null {
  if (headDim % 4 !== 0) return null;
  return TILES.find((tiles) => bytesOf(headDim, tiles) <= maxBytes) ?? null;
}

/** The distance of a tile's rows in vectors: one more than their length, so that lanes reading different rows meet different banks. */
const rowVectorsOf = (headDim: number): number => headDim / 4 + 1;
const weightStride = ({ own }: AttentionTiles): number => own + 1;

/** The bytes of workgroup memory of the kernel that needs most. */
const bytesOf = (headDim: number, tiles: AttentionTiles): number =>
  2 * (tiles.own + tiles.passing) * rowVectorsOf(headDim) * 16 + 2 * tiles.passing * weightStride(tiles) * 4;

export interface TileKernel {
  readonly declarations: string;
  readonly body: string;
}

/** The three kernels. All need `params` with length, heads, kvHeads, scale and window, and `LANES`, `lane` and `item`. */
export function tileKernels(headDim: number, tiles: AttentionTiles) {
  const { own, passing } = tiles;
  const pieces = headDim / 4;
  const padded = rowVectorsOf(headDim);
  const stride = weightStride(tiles);
  const ownRows = (line: (r: number) => string): string => lines(own / ACROSS, line);
  const columns = (line: (k: number) => string): string => lines(passing / ACROSS, line);
  const sums = (line: (n: number) => string): string => lines(Math.ceil(pieces / ACROSS), line);

  const tile = (name: string, rows: number): string =>
    `var<workgroup> ${name}: array<vec4f, ${rows * padded}>;\n`;
  const weights = (name: string): string => `var<workgroup> ${name}: array<f32, ${passing * stride}>;\n`;

  /** Fills a tile with `rows` rows of the sequence from `first` on. The last row of the sequence replaces rows beyond its end. */
  const fill = (
    name: string,
    rows: number,
    first: string,
    value: (row: string, piece: string) => string,
  ): string => /* wgsl */ `
  for (var i = lane; i < ${rows * pieces}u; i += LANES) {
    let row = row0 + min(${first} + i / ${pieces}u, last);
    ${name}[i / ${pieces}u * ${padded}u + i % ${pieces}u] = ${value('row', `i % ${pieces}u`)};
  }`;
  const queries = (row: string, piece: string, head = 'head'): string =>
    `qkv[${row} * stride + ${head} * ${pieces}u + ${piece}]`;
  const keys = (row: string, piece: string, kvHead = 'kvHead'): string =>
    `qkv[${row} * stride + (params.heads + ${kvHead}) * ${pieces}u + ${piece}]`;
  const values = (row: string, piece: string, kvHead = 'kvHead'): string =>
    `qkv[${row} * stride + (params.heads + params.kvHeads + ${kvHead}) * ${pieces}u + ${piece}]`;
  const gradients = (row: string, piece: string, head = 'head'): string =>
    `dy[(${row} * params.heads + ${head}) * ${pieces}u + ${piece}]`;

  /** Declares `name0_0 …`: the inner products of this lane's own rows and its columns of the passing ones. */
  const products = (name: string, ownTile: string, passingTile: string): string => /* wgsl */ `
    ${ownRows((r) => columns((k) => `var ${name}${r}_${k} = 0.0;`))}
    for (var i = 0u; i < ${pieces}u; i++) {
      ${ownRows((r) => `let a${r} = ${ownTile}[(ownRow0 + ${r}u) * ${padded}u + i];`)}
      ${columns((k) => `let b${k} = ${passingTile}[(across + ${ACROSS * k}u) * ${padded}u + i];`)}
      ${ownRows((r) => columns((k) => `${name}${r}_${k} += dot(a${r}, b${k});`))}
    }`;
  /** Stores this lane's values for the weights of passing rows. */
  const weigh = (name: string, value: (r: number, k: number) => string): string =>
    ownRows((r) =>
      columns((k) => `${name}[(across + ${ACROSS * k}u) * ${stride}u + ownRow0 + ${r}u] = ${value(r, k)};`),
    );
  /** Adds the weighted rows of a tile to `sum0_0 …`. Sums beyond the head's end are not stored. */
  const accumulate = (sum: string, weightsName: string, passingTile: string): string => /* wgsl */ `
    for (var j = 0u; j < ${passing}u; j++) {
      ${ownRows((r) => `let weight${r} = ${weightsName}[j * ${stride}u + ownRow0 + ${r}u];`)}
      ${sums(
        (n) => `let piece${n} = ${passingTile}[j * ${padded}u + across + ${ACROSS * n}u];
      ${ownRows((r) => `${sum}${r}_${n} = fma(vec4f(weight${r}), piece${n}, ${sum}${r}_${n});`)}`,
      )}
    }`;
  const declareSums = (sum: string): string => ownRows((r) => sums((n) => `var ${sum}${r}_${n} = vec4f();`));
  const storeOwn = (line: (r: number, n: number, piece: string) => string): string =>
    ownRows((r) => `if (t${r} < params.length) {${sums((n) => storePiece(line, r, n))}}`);
  const storePiece = (line: (r: number, n: number, piece: string) => string, r: number, n: number): string =>
    `if (across + ${ACROSS * n}u < ${pieces}u) { ${line(r, n, `across + ${ACROSS * n}u`)} }`;

  const findBlock = (heads: string): string => /* wgsl */ `
  let blocks = (params.length + ${own - 1}u) / ${own}u;
  let begin = item % blocks * ${own}u;
  let head = item / blocks % ${heads};
  let row0 = item / blocks / ${heads} * params.length;
  let last = params.length - 1u;
  let stride = (params.heads + 2u * params.kvHeads) * ${pieces}u;
  let across = lane % ${ACROSS}u;
  let ownRow0 = lane / ${ACROSS}u * ${own / ACROSS}u;
  ${ownRows((r) => `let t${r} = begin + ownRow0 + ${r}u;\nlet own${r} = row0 + min(t${r}, last);`)}`;
  const findQueries = /* wgsl */ `${findBlock('params.heads')}
  let kvHead = head * params.kvHeads / params.heads;
  let end = min(begin + ${own}u, params.length);
  let firstSeen = (begin + 1u - min(begin + 1u, params.window)) / ${passing}u * ${passing}u;
  ${fill('ownQueries', own, 'begin', (row, piece) => `${queries(row, piece)} * params.scale`)}`;
  /** True if a query sees a key: the difference of a query to a later key is a huge number. */
  const within = (query: string, key: string): string => `${query} - (${key}) < params.window`;
  const sees = (r: number, k: number): string => within(`t${r}`, `start + across + ${ACROSS * k}u`);

  /**
   * The forward kernel. A lane of its own runs the softmax of a row. Hidden keys before the first that a query sees have weights, which
   * that key's maximum makes 0.
   */
  const forward: TileKernel = {
    declarations: `${tile('ownQueries', own)}${tile('others', passing)}${weights('weights')}
var<workgroup> keeps: array<f32, ${own}>;`,
    body: /* wgsl */ `${findQueries}
  var highest = -1.0e30;
  var total = 0.0;
  ${declareSums('o')}
  for (var start = firstSeen; start < end; start += ${passing}u) {
    workgroupBarrier();
    ${fill('others', passing, 'start', keys)}
    workgroupBarrier();
    ${products('s', 'ownQueries', 'others')}
    ${weigh('weights', (r, k) => `select(-1.0e30, s${r}_${k}, ${sees(r, k)})`)}
    workgroupBarrier();
    ${fill('others', passing, 'start', values)}
    if (lane < ${own}u) {
      var next = highest;
      for (var j = 0u; j < ${passing}u; j++) { next = max(next, weights[j * ${stride}u + lane]); }
      keeps[lane] = exp(highest - next);
      total *= exp(highest - next);
      highest = next;
      for (var j = 0u; j < ${passing}u; j++) {
        let weight = exp(weights[j * ${stride}u + lane] - next);
        weights[j * ${stride}u + lane] = weight;
        total += weight;
      }
    }
    workgroupBarrier();
    ${ownRows((r) => `let keep${r} = keeps[ownRow0 + ${r}u];\n${sums((n) => `o${r}_${n} *= keep${r};`)}`)}
    ${accumulate('o', 'weights', 'others')}
  }
  workgroupBarrier();
  if (lane < ${own}u) {
    keeps[lane] = total;
    if (begin + lane < params.length) {
      logSumExp[(row0 + begin + lane) * params.heads + head] = highest + log(total);
    }
  }
  workgroupBarrier();
  ${storeOwn((r, n, piece) => `mixed[(own${r} * params.heads + head) * ${pieces}u + ${piece}] = o${r}_${n} / keeps[ownRow0 + ${r}u];`)}`,
  };

  const queryGradient: TileKernel = {
    declarations: [
      tile('ownQueries', own),
      tile('ownGradients', own),
      tile('otherKeys', passing),
      tile('otherValues', passing),
      weights('scoreGradients'),
    ].join(''),
    body: /* wgsl */ `${findQueries}
  ${fill('ownGradients', own, 'begin', gradients)}
  ${ownRows(
    (r) => `let lse${r} = logSumExp[own${r} * params.heads + head];
  var rowDot${r} = 0.0;`,
  )}
  for (var i = 0u; i < ${pieces}u; i++) {
    ${ownRows((r) => `rowDot${r} += dot(${gradients(`own${r}`, 'i')}, mixed[(own${r} * params.heads + head) * ${pieces}u + i]);`)}
  }
  ${declareSums('dq')}
  for (var start = firstSeen; start < end; start += ${passing}u) {
    workgroupBarrier();
    ${fill('otherKeys', passing, 'start', keys)}
    ${fill('otherValues', passing, 'start', values)}
    workgroupBarrier();
    ${products('s', 'ownQueries', 'otherKeys')}
    ${products('dp', 'ownGradients', 'otherValues')}
    ${weigh(
      'scoreGradients',
      (r, k) =>
        `exp(select(-1.0e30, s${r}_${k} - lse${r}, ${sees(r, k)})) * (dp${r}_${k} - rowDot${r}) * params.scale`,
    )}
    workgroupBarrier();
    ${accumulate('dq', 'scoreGradients', 'otherKeys')}
  }
  ${storeOwn((r, n, piece) => `d${queries(`own${r}`, piece)} = dq${r}_${n};`)}
  if (across == 0u) {
    ${ownRows((r) => `if (t${r} < params.length) { rowDots[own${r} * params.heads + head] = rowDot${r}; }`)}
  }`,
  };

  const keyValueGradient: TileKernel = {
    declarations: [
      tile('ownKeys', own),
      tile('ownValues', own),
      tile('otherQueries', passing),
      tile('otherGradients', passing),
      weights('probabilities'),
      weights('scoreGradients'),
    ].join(''),
    body: /* wgsl */ `${findBlock('params.kvHeads')}
  let served = params.heads / params.kvHeads;
  let seenUntil = min(params.length, begin + ${own - 1}u + params.window);
  ${fill('ownKeys', own, 'begin', (row, piece) => `${keys(row, piece, 'head')} * params.scale`)}
  ${fill('ownValues', own, 'begin', (row, piece) => values(row, piece, 'head'))}
  ${declareSums('dk')}
  ${declareSums('dv')}
  for (var h = head * served; h < (head + 1u) * served; h++) {
    for (var start = begin / ${passing}u * ${passing}u; start < seenUntil; start += ${passing}u) {
      workgroupBarrier();
      ${fill('otherQueries', passing, 'start', (row, piece) => queries(row, piece, 'h'))}
      ${fill('otherGradients', passing, 'start', (row, piece) => gradients(row, piece, 'h'))}
      workgroupBarrier();
      ${products('s', 'ownKeys', 'otherQueries')}
      ${products('dp', 'ownValues', 'otherGradients')}
      ${columns(
        (k) => /* wgsl */ `
      let query${k} = start + across + ${ACROSS * k}u;
      let queryRow${k} = (row0 + min(query${k}, last)) * params.heads + h;
      let lse${k} = logSumExp[queryRow${k}];
      let rowDot${k} = rowDots[queryRow${k}];
      ${ownRows(
        (r) => `let sees${r}_${k} = ${within(`query${k}`, `t${r}`)} && query${k} < params.length;
      let p${r}_${k} = exp(select(-1.0e30, s${r}_${k} - lse${k}, sees${r}_${k}));`,
      )}`,
      )}
      ${weigh('probabilities', (r, k) => `p${r}_${k}`)}
      ${weigh('scoreGradients', (r, k) => `p${r}_${k} * (dp${r}_${k} - rowDot${k}) * params.scale`)}
      workgroupBarrier();
      ${accumulate('dk', 'scoreGradients', 'otherQueries')}
      ${accumulate('dv', 'probabilities', 'otherGradients')}
    }
  }
  ${storeOwn(
    (r, n, piece) => `d${keys(`own${r}`, piece, 'head')} = dk${r}_${n};
    d${values(`own${r}`, piece, 'head')} = dv${r}_${n};`,
  )}`,
  };
  return { forward, queryGradient, keyValueGradient };
}
