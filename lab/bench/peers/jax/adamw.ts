/** A clip of the global norm and AdamW in jax-js, for `jit`. */
import { numpy as np, tree } from '@jax-js/jax';
import { TRAINING } from '../../participants/inputs.ts';
import type { Parameters } from './model.ts';

export type State = { parameters: Parameters; m: Parameters; v: Parameters };
/** Bias corrections of Adam, 1 − βᵗ. */
export type Corrections = { first: np.Array; second: np.Array };

export function initialState(parameters: Parameters): State {
  const zeros = (): Parameters =>
    Object.fromEntries(Object.entries(parameters).map(([name, { shape }]) => [name, np.zeros(shape)]));
  return { parameters, m: zeros(), v: zeros() };
}

/** The corrections for update `step`, counted from 1. */
export const correctionsOf = (step: number): Corrections => ({
  first: np.array(1 - TRAINING.beta1 ** step),
  second: np.array(1 - TRAINING.beta2 ** step),
});

/** The state after an update, and the norm of the gradients before they are clipped. Consumes its arguments. */
export function updated(
  state: State,
  gradients: Parameters,
  { first, second }: Corrections,
): { next: State; norm: np.Array } {
  const { learningRate, beta1, beta2, epsilon, weightDecay, clipNorm } = TRAINING;
  const squares = Object.values(gradients).map((gradient) => np.square(gradient.ref).sum());
  const norm = np.sqrt(squares.reduce((sum, square) => sum.add(square)));
  const scale = np.minimum(1, np.array(clipNorm).div(norm.ref));
  const next: State = { parameters: {}, m: {}, v: {} };
  for (const [name, gradient] of Object.entries(gradients)) {
    const { parameters, m, v } = state;
    const old = { parameter: parameters[name], m: m[name], v: v[name] };
    if (!old.parameter || !old.m || !old.v) throw new Error(`There are no moments for ${name}.`);
    const decay = old.parameter.ndim > 1 ? 1 - learningRate * weightDecay : 1;
    const clipped = gradient.mul(scale.ref);
    const newM = old.m.mul(beta1).add(clipped.ref.mul(1 - beta1));
    const newV = old.v.mul(beta2).add(np.square(clipped).mul(1 - beta2));
    const denominator = np.sqrt(newV.ref.div(second.ref)).add(epsilon);
    const direction = newM.ref.div(first.ref).div(denominator);
    next.parameters[name] = old.parameter.mul(decay).sub(direction.mul(learningRate));
    next.m[name] = newM;
    next.v[name] = newV;
  }
  tree.dispose([scale, first, second]);
  return { next, norm };
}
