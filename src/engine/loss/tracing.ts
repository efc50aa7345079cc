/**
 * What a loss computes, op by op, while it computes it: the formula that a person reads (formula.ts) is made from the very ops that train. Parts
 * say by `named` and `called` what they are; without a trace under way both do nothing.
 */
import * as tf from '../backend/tf.ts';

export interface TracedOp {
  /** tfjs's name of the kernel, or what `called` says. */
  readonly name: string;
  readonly of: readonly tf.Tensor[];
  /** Of clip: its bounds. */
  readonly bounds?: readonly [low: number, high: number];
}

export interface Trace {
  /** By the id of the tensor that an op gave. */
  readonly ops: Map<number, TracedOp>;
  readonly names: Map<number, string>;
  /** All that came out of ops, kept from the tidy around them: the caller's to dispose of. */
  readonly tensors: tf.Tensor[];
}

/** What gives the same numbers whatever it is given: constants. */
const CONSTANT = new Set(['OnesLike', 'ZerosLike', 'Fill']);

let under: Trace | null = null;

/** `part` itself, which a formula writes as `name` and explains once. */
export function named<Part extends tf.Tensor>(name: string, part: Part): Part {
  under?.names.set(part.id, name);
  return part;
}

/** `part` itself, which a formula writes as `name(of, …)` by whatever ops it was computed. */
export function called<Part extends tf.Tensor>(name: string, of: readonly tf.Tensor[], part: Part): Part {
  under?.ops.set(part.id, { name, of });
  return part;
}

interface Clip {
  readonly clipValueMin: number;
  readonly clipValueMax: number;
}

/** What `work` computes, all of it at once, and every op of it; only what is among `tensors` stays. */
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
