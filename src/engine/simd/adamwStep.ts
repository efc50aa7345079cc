/** AdamW on a range of a pool of parameters; the formula is in `kernels/adamwStep`. */
import { at } from './vector';

/**
 * Updates elements first … last − 1. `scale` is the factor on gradients, `rest` is 1 − β for each β, and `correction` is 1 − β^t.
 * Gradients are zero afterwards.
 */
export function adamwStep(
  first: i32,
  last: i32,
  parameters: usize,
  gradients: usize,
  ms: usize,
  vs: usize,
  learningRate: f32,
  beta1: f32,
  rest1: f32,
  beta2: f32,
  rest2: f32,
  epsilon: f32,
  weightDecay: f32,
  decayedLength: i32,
  scale: f32,
  correction1: f32,
  correction2: f32,
): void {
  const four = f32x4.splat(scale);
  let i = first;
  for (; i + 4 <= last; i += 4) {
    const g = f32x4.mul(v128.load(at(gradients, i)), four);
    const m = f32x4.add(
      f32x4.mul(f32x4.splat(beta1), v128.load(at(ms, i))),
      f32x4.mul(f32x4.splat(rest1), g),
    );
    const v = f32x4.add(
      f32x4.mul(f32x4.splat(beta2), v128.load(at(vs, i))),
      f32x4.mul(f32x4.splat(rest2), f32x4.mul(g, g)),
    );
    const root = f32x4.add(
      f32x4.sqrt(f32x4.div(v, f32x4.splat(correction2))),
      f32x4.splat(epsilon),
    );
    const theta = v128.load(at(parameters, i));
    // Pools are aligned, so no four elements lie on both sides of the bound.
    const decay: f32 = i < decayedLength ? weightDecay : 0;
    const step = f32x4.add(
      f32x4.div(f32x4.div(m, f32x4.splat(correction1)), root),
      f32x4.mul(f32x4.splat(decay), theta),
    );
    v128.store(at(ms, i), m);
    v128.store(at(vs, i), v);
    v128.store(at(parameters, i), f32x4.sub(theta, f32x4.mul(f32x4.splat(learningRate), step)));
    v128.store(at(gradients, i), f32x4.splat(0));
  }
  for (; i < last; i++) {
    const g = load<f32>(at(gradients, i)) * scale;
    const m = beta1 * load<f32>(at(ms, i)) + rest1 * g;
    const v = beta2 * load<f32>(at(vs, i)) + rest2 * (g * g);
    const theta = load<f32>(at(parameters, i));
    const decay: f32 = i < decayedLength ? weightDecay : 0;
    const step = m / correction1 / (sqrt<f32>(v / correction2) + epsilon) + decay * theta;
    store<f32>(at(ms, i), m);
    store<f32>(at(vs, i), v);
    store<f32>(at(parameters, i), theta - learningRate * step);
    store<f32>(at(gradients, i), 0);
  }
}
