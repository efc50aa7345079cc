/** The three layouts of a product, and its sizes. */
export type GemmLayout = 'nn' | 'nt' | 'tn';

export interface GemmShape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** M, N and K of a product. @throws Error if the inner sizes differ. */
export function gemmShape(a: readonly number[], b: readonly number[], layout: GemmLayout): GemmShape {
  const [a0 = 0, a1 = 0] = a;
  const [b0 = 0, b1 = 0] = b;
  const m = layout === 'tn' ? a1 : a0;
  const k = layout === 'tn' ? a0 : a1;
  const n = layout === 'nt' ? b0 : b1;
  const innerB = layout === 'nt' ? b1 : b0;
  if (a.length !== 2 || b.length !== 2 || k !== innerB) {
    throw new Error(
      `gemm ${layout}: [${a.join(', ')}] and [${b.join(', ')}] do not fit; inner sizes are ${k} and ${innerB}.`,
    );
  }
  return { m, n, k };
}
