/** The chunk loops of `tokenLogprobs`, made of other kernels only, so one body serves both backends. */
import { input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { gemmShape, type GemmLayout } from '../gemm/shape.ts';
import type { TokenLogprobsAttributes } from './attributes.ts';

/** Logits held at a time: 16 MB in f32. */
const MAX_LOGITS = 4_194_304;

function* rowChunks(rows: number, vocab: number): Generator<{ begin: number; size: number }> {
  const step = Math.max(1, Math.floor(MAX_LOGITS / vocab));
  for (let begin = 0; begin < rows; begin += step) yield { begin, size: Math.min(step, rows - begin) };
}

function only(outputs: TensorInfo[]): TensorInfo {
  const [first] = outputs;
  if (!first) throw new Error('A kernel returned nothing.');
  return first;
}

function product({ run }: CompositeContext, a: TensorInfo, b: TensorInfo, layout: GemmLayout): TensorInfo {
  const shape = gemmShape(a.shape, b.shape, layout);
  return only(run('RlGemm', { a, b }, { ...shape, layout, aOffset: 0, bOffset: 0, biasOffset: 0 }));
}

/** Rows `begin … begin + size` of a matrix or vector. */
function rowsOf({ run }: CompositeContext, x: TensorInfo, begin: number, size: number): TensorInfo {
  const rest = x.shape.slice(1);
  return only(run('Slice', { x }, { begin: [begin, ...rest.map(() => 0)], size: [size, ...rest] }));
}

/** Joins along rows and frees the parts. */
function joined({ run, dispose }: CompositeContext, parts: TensorInfo[]): TensorInfo {
  const [first] = parts;
  if (parts.length === 1 && first) return first;
  const whole = only(run('Concat', parts as unknown as Inputs, { axis: 0 }));
  dispose(...parts);
  return whole;
}

export function tokenLogprobsBody(
  inputs: Inputs,
  { temperature }: TokenLogprobsAttributes,
  context: CompositeContext,
): TensorInfo[] {
  const { run, dispose } = context;
  const hidden = input(inputs, 'hidden');
  const head = input(inputs, 'head');
  const logprobs: TensorInfo[] = [];
  const entropies: TensorInfo[] = [];
  for (const { begin, size } of rowChunks(hidden.shape[0] ?? 0, head.shape[0] ?? 1)) {
    const rows = rowsOf(context, hidden, begin, size);
    const targets = rowsOf(context, input(inputs, 'targets'), begin, size);
    const logits = product(context, rows, head, 'nt');
    const [logprob, entropy] = run('RlRowLogprobs', { logits, targets }, { temperature }) as [
      TensorInfo,
      TensorInfo,
    ];
    logprobs.push(logprob);
    entropies.push(entropy);
    dispose(rows, targets, logits);
  }
  return [joined(context, logprobs), joined(context, entropies)];
}

/** Outputs d hidden [N, D] and d head [V, D]. */
export function tokenLogprobsGradientBody(
  inputs: Inputs,
  { temperature }: TokenLogprobsAttributes,
  context: CompositeContext,
): TensorInfo[] {
  const { run, dispose } = context;
  const hidden = input(inputs, 'hidden');
  const head = input(inputs, 'head');
  const dhiddens: TensorInfo[] = [];
  let dhead: TensorInfo | null = null;
  for (const { begin, size } of rowChunks(hidden.shape[0] ?? 0, head.shape[0] ?? 1)) {
    const rows = rowsOf(context, hidden, begin, size);
    const targets = rowsOf(context, input(inputs, 'targets'), begin, size);
    const dlogprob = rowsOf(context, input(inputs, 'dlogprob'), begin, size);
    const dentropy = rowsOf(context, input(inputs, 'dentropy'), begin, size);
    const logits = product(context, rows, head, 'nt');
    const dlogits = only(
      run('RlRowLogprobsGradient', { logits, targets, dlogprob, dentropy }, { temperature }),
    );
    dhiddens.push(product(context, dlogits, head, 'nn'));
    const part = product(context, dlogits, rows, 'tn');
    if (dhead === null) {
      dhead = part;
    } else {
      const sum: TensorInfo = only(run('Add', { a: dhead, b: part }));
      dispose(dhead, part);
      dhead = sum;
    }
    dispose(rows, targets, dlogprob, dentropy, logits, dlogits);
  }
  if (dhead === null) throw new Error('tokenLogprobs: no rows.');
  return [joined(context, dhiddens), dhead];
}
