/**
 * Records the ops of a loss while it computes, so that the formula that a person reads (formula.ts) is made from the very ops that train.
 * Parts name themselves by `named` and `called`; both do nothing unless a trace is running.
 */
import * as tf from '../backend/tf.ts';

export interface TracedOp {
  /** tfjs's name of the kernel, or the name that `called` gave. */
  readonly name: string;
  readonly of: readonly tf.Tensor[];
  readonly bounds?: readonly [low: number, high: number];
}

export interface Trace {
  /** The ops by the id of the tensor that each one made. */
  readonly ops: Map<number, TracedOp>;
  readonly names: Map<number, string>;
  /** All results of ops, kept from the tidy around them. The caller disposes of them. */
  readonly tensors: tf.Tensor[];
}

/** Kernels whose result does not depend on their input: constants. */
const CONSTANT = new Set(['OnesLike', 'ZerosLike', 'Fill']);

let under: Trace | null = null;

/** Returns `part`, which a formula writes as `name` and explains once. */
export function named<Part extends tf.Tensor>(name: string, part: Part): Part {
  under?.names.set(part.id, name);
  return part;
}

/** Returns `part`, which a formula writes as `name(of, …)`, whatever ops it was computed by. */
export function called<Part extends tf.Tensor>(name: string, of: readonly tf.Tensor[], part: Part): Part {
  under?.ops.set(part.id, { name, of });
  return part;
}

interface Clip {
  readonly clipValueMin: number;
  readonly clipValueMax: number;
}

/** Runs `work` at once and records every op of it. The tensors of the ops are disposed of, except those in `tensors`. */
export function traced<Result extends tf.Tensor>(
  work: () => Result,
): { readonly result: Result; readonly trace: Trace } {
  const engine = tf.engine();
  const plain = engine.runKernel.bind(engine);
  const trace: Trace = { ops: new Map(), names: new Map(), tensors: [] };
  under = trace;
  const keep = (tensor: tf.Tensor): void => void trace.tensors.push(tf.keep(tensor));
  engine.runKernel = <Given extends tf.Tensor | tf.Tensor[]>(
    name: string,
    inputs: tf.NamedTensorMap,
    attributes?: tf.NamedAttrMap,
  ): Given => {
    const given = plain<Given>(name, inputs, attributes);
    const result: tf.Tensor | tf.Tensor[] = given;
    if (result instanceof tf.Tensor) {
      const of = Object.values(inputs);
      const clip = name === 'ClipByValue' ? (attributes as unknown as Clip) : null;
      if (!CONSTANT.has(name))
        trace.ops.set(result.id, {
          name,
          of,
          ...(clip && { bounds: [clip.clipValueMin, clip.clipValueMax] as const }),
        });
      for (const tensor of [result, ...of]) keep(tensor);
    }
    return given;
  };
  try {
    const result = tf.tidy(() => tf.keep(work()));
    return { result, trace };
  } finally {
    under = null;
    engine.runKernel = plain;
  }
}
