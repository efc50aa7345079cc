/** WGSL that the plans without workgroup memory share: a head in registers, and writing the new key and value. */
import type { AttentionSpec } from './attentionSpec.ts';
import { lines } from './program.ts';

/** Declares the cosines and sines of the row's position. */
export function loadRotation({ headDim }: AttentionSpec): string {
  const vectors = headDim / 4;
  const half = vectors / 2;
  return `${lines(half, (i) => `let cos${i} = table[row.position * ${vectors}u + ${i}u];`)}
  ${lines(half, (i) => `let sin${i} = table[row.position * ${vectors}u + ${half + i}u];`)}`;
}

/** Declares `name0 … `: a head of `qkv` from vector `at`, normed and rotated. */
export function loadHead(
  { headDim, headNormEpsilon }: AttentionSpec,
  name: string,
  at: string,
  gamma: string,
): string {
  const vectors = headDim / 4;
  const half = vectors / 2;
  const raw = lines(vectors, (i) => `let ${name}Raw${i} = qkv[${at} + ${i}u];`);
  const squares = Array.from({ length: vectors }, (_, i) => `dot(${name}Raw${i}, ${name}Raw${i})`).join(
    ' + ',
  );
  const scale = `let ${name}Scale = inverseSqrt((${squares}) / ${headDim}.0 + ${headNormEpsilon});`;
  const normed =
    headNormEpsilon === null
      ? lines(vectors, (i) => `let ${name}In${i} = ${name}Raw${i};`)
      : `${scale}\n${lines(vectors, (i) => `let ${name}In${i} = ${name}Raw${i} * ${name}Scale * ${gamma}[${i}u];`)}`;
  const rotated = lines(half, (i) => {
    const [first, second] = [`${name}In${i}`, `${name}In${i + half}`];
    return `let ${name}${i} = ${first} * cos${i} - ${second} * sin${i};
  let ${name}${i + half} = ${second} * cos${i} + ${first} * sin${i};`;
  });
  return `${raw}\n${normed}\n${rotated}`;
}

/** Writes the key and value of `row`, whose projections begin at `rowAt`, for `kvHead`. */
export function appendCode(spec: AttentionSpec): string {
  const { heads, kvHeads, headDim } = spec;
  const vectors = headDim / 4;
  return /* wgsl */ `
  {
    let at = rowAt + ${heads * vectors}u + kvHead * ${vectors}u;
    ${loadHead(spec, 'k', 'at', 'keyNorm')}
    let entry = keyPosition(row, row.position) * ${kvHeads * vectors}u + kvHead * ${vectors}u;
    ${lines(vectors, (i) => `keys[entry + ${i}u] = k${i};`)}
    ${lines(vectors, (i) => `values[entry + ${i}u] = qkv[at + ${kvHeads * vectors + i}u];`)}
  }`;
}
