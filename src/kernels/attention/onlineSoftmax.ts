import type { RowVectors } from '../vectors.ts';

/**
 * WGSL that attends one query row over `keyCount` keys with a running softmax, in one invocation. It needs `queryAt`,
 * `keyAt` (a variable, at the first key), `keyStride`, `params.scale` and the arrays q, k and v; it leaves `o0 … / total`
 * and the log-sum-exp as `highest + log(total)`. The first key starts the sums, so no infinity is needed.
 */
export function onlineSoftmax({ each, sum }: RowVectors): string {
  const score = sum((i) => `inner(q${i}, k[keyAt + ${i}u])`);
  return /* wgsl */ `
  ${each((i) => `let q${i} = q[queryAt + ${i}u] * params.scale;`)}
  ${each((i) => `var o${i} = v[keyAt + ${i}u];`)}
  var highest = ${score};
  var total = 1.0;
  for (var j = 1u; j < keyCount; j++) {
    keyAt += keyStride;
    let score = ${score};
    let next = max(highest, score);
    let keep = exp(highest - next);
    let weight = exp(score - next);
    highest = next;
    total = total * keep + weight;
    ${each((i) => `o${i} = o${i} * keep + v[keyAt + ${i}u] * weight;`)}
  }`;
}
