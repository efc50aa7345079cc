/** Moving averages of curves. */

/** The smoothing of charts before anyone changes it. */
export const USUAL_SMOOTHING = 0.8;

/**
 * Exponential moving average with bias correction: s_t = Σ β^(t−i) x_i / Σ β^(t−i), so that the first value is x_1
 * itself and a constant series stays constant. `beta` is from 0, which changes nothing, to below 1.
 */
export function smoothed(values: ArrayLike<number>, beta = USUAL_SMOOTHING): Float64Array {
  const averages = new Float64Array(values.length);
  let sum = 0;
  let weight = 0;
  for (let index = 0; index < values.length; index++) {
    sum = beta * sum + (values[index] ?? 0);
    weight = beta * weight + 1;
    averages[index] = sum / weight;
  }
  return averages;
}
