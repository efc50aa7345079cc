/**
 * GEMM without workgroup memory: an invocation computes `rows` x 4·`columns` of C in named registers, reading A and B through the caches.
 * Without barriers it is several times faster on SwiftShader than tiles in workgroup memory, and it is what Apple's GPUs run best. With
 * `quads`, four neighbours work on the same rows, each loads a quarter of A and they swap, because on SwiftShader a load costs as much as
 * eight vector multiplications. A lane keeps its own quarter first, so the order of its rows differs from its neighbours'. Every element
 * of C sums over K in ascending order by fused multiply-adds, as in every other plan.
 */
import { lines, QUAD_SWAPS, range, VECTOR_PARTS } from '../shared/vectors.ts';
import { operandCode, type GemmVariant } from './operands.ts';

export interface DirectTile {
  /** The number of rows: a multiple of four under `quads` and in `tn`, and 8 or 16 if both hold. */
  readonly rows: number;
  /** The number of pieces of four columns. */
  readonly columns: number;
  readonly quads: boolean;
  /** The number of invocations in a workgroup. */
  readonly group: number;
}

const swapped = (name: string, by: number): string => `${QUAD_SWAPS[by]}(${name})`;

export function directShader(variant: GemmVariant, tile: DirectTile): string {
  const { rows, columns, quads, group } = tile;
  const { layout, tail } = variant;
  const accumulators = lines(rows, (r) => {
    const start = (j: number) =>
      `var acc${r}_${j} = startOf(row0 + ${rowInTile(variant, tile, r)}, piece0 + ${j}u);`;
    return range(columns).map(start).join(' ');
  });
  const steps = layout === 'tn' ? outerSteps(tile) : innerSteps(variant, tile);
  return /* wgsl */ `${quads ? 'enable subgroups;\n' : ''}${operandCode(variant)}
@compute @workgroup_size(${group})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32${
    quads ? ', @builtin(subgroup_invocation_id) subgroupIndex: u32' : ''
  }) {
  let item = (group.y * params.groupsPerRow + group.x) * ${group}u + index;
  let across = (params.n + ${4 * columns - 1}u) / ${4 * columns}u${quads ? ' + 3u' : ''};
  ${
    quads
      ? /* wgsl */ `let lane = subgroupIndex % 4u;
  let quadsAcross = across / 4u;
  let tileColumn = item / 4u % quadsAcross * 4u + lane;
  let row0 = item / 4u / quadsAcross * ${rows}u;`
      : /* wgsl */ `let tileColumn = item % across;
  let row0 = item / across * ${rows}u;`
  }
  let strideA = aStride();
  let strideB = bStride();
  let kPieces = params.k / 4u;
  let piece0 = tileColumn * ${columns}u;
  let pieces = (params.n + 3u) / 4u;
  ${accumulators}
  ${steps.starts}
  for (var kk = 0u; kk < kPieces; kk++) {
    ${steps.body}
  }
  ${tail ? `for (var kk = kPieces * 4u; kk < params.k; kk++) { ${steps.tail} }` : ''}
  ${lines(rows, (r) => {
    const finish = (j: number) => `finish(row, piece0 + ${j}u, acc${r}_${j});`;
    return `{ let row = row0 + ${rowInTile(variant, tile, r)}; ${range(columns).map(finish).join(' ')} }`;
  })}
}
`;
}

/** The row of the tile that accumulator r holds. It is an expression, because under `quads` it depends on the lane. */
function rowInTile({ layout }: GemmVariant, { rows, quads }: DirectTile, r: number): string {
  const [group, rest] = [Math.floor(r / 4), r % 4];
  if (!quads) return `${r}u`;
  if (layout === 'tn') return `((lane & ${rows / 4 - 1}u) ^ ${group}u) * 4u + ${rest}u`;
  return `${4 * group}u + (lane ^ ${rest}u)`;
}

interface Steps {
  /** The beginnings of the tile's rows and columns. Those beyond the last repeat it and are not stored. */
  readonly starts: string;
  /** Four steps of K. */
  readonly body: string;
  /** One step, for the rest of K. */
  readonly tail: string;
}

const columnStart = (j: number): string => `let columnAt${j} = min(piece0 + ${j}u, pieces - 1u) * bUnit;`;

/** acc ← the chain of multiply-adds of some steps of K, in ascending order. */
function chain(accumulator: string, steps: readonly (readonly [a: string, b: string])[]): string {
  const sum = steps.reduce((inner, [a, b]) => `fma(vec4f(${a}), ${b}, ${inner})`, accumulator);
  return `${accumulator} = ${sum};`;
}

/** The steps of `nn` and `nt`, where a piece of A holds four steps of K of one row. */
function innerSteps(variant: GemmVariant, tile: DirectTile): Steps {
  const { layout } = variant;
  const { rows, columns, quads } = tile;
  const rowAt = (row: string): string => `min(row0 + ${row}, params.m - 1u) * strideA`;
  const loaded = quads ? rows / 4 : rows;
  const rowStarts = lines(loaded, (r) => `let rowAt${r} = ${rowAt(quads ? `${4 * r}u + lane` : `${r}u`)};`);
  const loadsOfA = lines(loaded, (r) => `let own${r} = loadA(rowAt${r} + kk * aUnit);`);
  const pieceOfA = (r: number): string => (quads ? swapped(`own${Math.floor(r / 4)}`, r % 4) : `own${r}`);
  const starts =
    layout === 'nn'
      ? lines(columns, columnStart)
      : lines(4 * columns, (j) => `let columnAt${j} = min(piece0 * 4u + ${j}u, params.n - 1u) * strideB;`);
  const loadsOfB =
    layout === 'nn'
      ? lines(4, (i) => {
          const load = (j: number) => `let b${i}_${j} = loadB((kk * 4u + ${i}u) * strideB + columnAt${j});`;
          return range(columns).map(load).join(' ');
        })
      : lines(4 * columns, (j) => `let b${j} = loadB(columnAt${j} + kk * bUnit);`);
  const fourOfB = (j: number, i: number, part: (typeof VECTOR_PARTS)[number]): string =>
    layout === 'nn'
      ? `b${i}_${j}`
      : `vec4f(${range(4)
          .map((q) => `b${4 * j + q}.${part}`)
          .join(', ')})`;
  const updates = lines(rows, (r) => {
    const update = (j: number) =>
      chain(
        `acc${r}_${j}`,
        VECTOR_PARTS.map((part, i) => [`a.${part}`, fourOfB(j, i, part)] as const),
      );
    return `{ let a = ${pieceOfA(r)}; ${range(columns).map(update).join(' ')} }`;
  });
  const oneOfB = (j: number): string =>
    layout === 'nn'
      ? `loadB(kk * strideB + columnAt${j})`
      : `vec4f(${range(4)
          .map((q) => `elementB(columnAt${4 * j + q} + kk)`)
          .join(', ')})`;
  const tail = `${lines(columns, (j) => `let b${j} = ${oneOfB(j)};`)}
    ${lines(rows, (r) => {
      const update = (j: number) => chain(`acc${r}_${j}`, [['a', `b${j}`]]);
      const element = `elementA(${rowAt(rowInTile(variant, tile, r))} + kk)`;
      return `{ let a = ${element}; ${range(columns).map(update).join(' ')} }`;
    })}`;
  return { starts: `${rowStarts}\n${starts}`, body: `${loadsOfB}\n${loadsOfA}\n${updates}`, tail };
}

/** The steps of `tn`, where a piece of A holds four rows of one step of K. Under `quads` a lane loads one piece of each step. */
function outerSteps({ rows, columns, quads }: DirectTile): Steps {
  const groups = rows / 4;
  const loaded = quads ? 1 : groups;
  const pieceOf = (g: number): string => (quads ? `(lane & ${groups - 1}u)` : `${g}u`);
  const rowStarts = lines(
    loaded,
    (g) => `let rowAt${g} = min(row0 / 4u + ${pieceOf(g)}, (params.m + 3u) / 4u - 1u) * aUnit;`,
  );
  const step = (k: string, i: number): string =>
    [
      ...range(columns).map((j) => `let b${i}_${j} = loadB(${k} * strideB + columnAt${j});`),
      ...range(loaded).map((g) => `let own${i}_${g} = loadA(${k} * strideA + rowAt${g});`),
      ...range(groups).map((g) => `let a${i}_${g} = ${quads ? swapped(`own${i}_0`, g) : `own${i}_${g}`};`),
    ].join(' ');
  const updates = (steps: readonly number[]): string =>
    lines(rows, (r) =>
      range(columns)
        .map((j) =>
          chain(
            `acc${r}_${j}`,
            steps.map((i) => [`a${i}_${Math.floor(r / 4)}.${VECTOR_PARTS[r % 4]}`, `b${i}_${j}`] as const),
          ),
        )
        .join(' '),
    );
  return {
    starts: `${rowStarts}\n${lines(columns, columnStart)}`,
    body: `${lines(4, (i) => step(`(kk * 4u + ${i}u)`, i))}\n${updates([0, 1, 2, 3])}`,
    // 4 names the one step of the rest.
    tail: `${step('kk', 4)}\n${updates([4])}`,
  };
}
