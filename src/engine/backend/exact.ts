/**
 * A tensor runtime in float64, for the formulas of losses: slow, without a model's kernels, and exact to about 1e-15 where wasm and WebGPU
 * keep 1e-7. Constants that a formula writes as plain numbers pass through f32, as everywhere in tfjs.
 */
import * as tf from './tf.ts';

const NAME = 'float64';

interface Place {
  readonly shape: number[];
  readonly values: Float64Array;
}

class ExactBackend extends tf.KernelBackend {
  readonly #values = new Map<object, Float64Array>();

  override write(values: tf.BackendValues): object {
    const id = {};
    this.#values.set(id, Float64Array.from(values as ArrayLike<number>));
    return id;
  }

  override readSync(id: object): tf.BackendValues {
    // tfjs names no type for it, and hands it on as it is.
    return this.valuesOf(id) as unknown as tf.BackendValues;
  }

  override read(id: object): Promise<tf.BackendValues> {
    return Promise.resolve(this.readSync(id));
  }

  override disposeData(id: object): boolean {
    return this.#values.delete(id);
  }

  override numDataIds(): number {
    return this.#values.size;
  }

  valuesOf(id: object): Float64Array {
    const values = this.#values.get(id);
    if (values === undefined)
      throw new Error('A tensor was read that is of another backend, or disposed of.');
    return values;
  }
}

type Compute = (
  inputs: Readonly<Record<string, Place>>,
  attributes: Readonly<Record<string, unknown>>,
) => Place;

/** Registers a kernel of this backend. `dtype` is the type of its result; by default that of the first input. */
function kernel(kernelName: string, compute: Compute, dtype?: tf.DataType): void {
  tf.registerKernel({
    kernelName,
    backendName: NAME,
    kernelFunc({ inputs, attrs, backend }) {
      const exact = backend as ExactBackend;
      const infos = Object.entries(inputs as Record<string, tf.TensorInfo>);
      const places = Object.fromEntries(
        infos.map(([name, { dataId, shape }]) => [name, { shape, values: exact.valuesOf(dataId) }]),
      );
      const { shape, values } = compute(places, attrs ?? {});
      const made = dtype ?? (attrs?.['dtype'] as tf.DataType | undefined) ?? infos[0]?.[1].dtype ?? 'float32';
      return { dataId: exact.write(values as unknown as tf.BackendValues), shape, dtype: made };
    },
  });
}

function input(inputs: Readonly<Record<string, Place>>, name: string): Place {
  const found = inputs[name];
  if (found === undefined) throw new Error(`An op of tfjs was called without its input ${name}.`);
  return found;
}

function unary(name: string, of: (x: number) => number, dtype?: tf.DataType): void {
  kernel(
    name,
    (inputs) => {
      const { shape, values } = input(inputs, 'x');
      return { shape, values: values.map(of) };
    },
    dtype,
  );
}

/** The index in a tensor of `shape`, which is broadcast to `target`, for each index of the target. */
function broadcast(shape: readonly number[], target: readonly number[]): (index: number) => number {
  const strides: number[] = [];
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides.unshift(shape[axis] === 1 ? 0 : stride);
    stride *= shape[axis] ?? 1;
  }
  const lead = target.length - shape.length;
  return (index) => {
    let rest = index;
    let at = 0;
    for (let axis = target.length - 1; axis >= lead; axis--) {
      const size = target[axis] ?? 1;
      at += (rest % size) * (strides[axis - lead] ?? 0);
      rest = Math.floor(rest / size);
    }
    return at;
  };
}

function binary(name: string, of: (a: number, b: number) => number, dtype?: tf.DataType): void {
  kernel(
    name,
    (inputs) => {
      const [a, b] = [input(inputs, 'a'), input(inputs, 'b')];
      const shape = tf.backend_util.assertAndGetBroadcastShape(a.shape, b.shape);
      const [inA, inB] = [broadcast(a.shape, shape), broadcast(b.shape, shape)];
      const values = Float64Array.from({ length: tf.util.sizeFromShape(shape) }, (_, i) =>
        of(a.values[inA(i)] ?? NaN, b.values[inB(i)] ?? NaN),
      );
      return { shape, values };
    },
    dtype,
  );
}

const truth = (value: boolean): number => (value ? 1 : 0);

function registerKernels(): void {
  for (const name of ['Identity', 'Cast']) unary(name, (x) => x);
  kernel('Reshape', (inputs, { shape }) => ({
    shape: tf.util.inferFromImplicitShape(shape as number[], input(inputs, 'x').values.length),
    values: input(inputs, 'x').values.slice(),
  }));
  unary('ZerosLike', () => 0);
  unary('OnesLike', () => 1);
  unary('Neg', (x) => -x);
  unary('Exp', Math.exp);
  unary('Log', Math.log);
  unary('Square', (x) => x * x);
  unary('Relu', (x) => Math.max(0, x));
  unary('Step', (x) => (x > 0 ? 1 : 0));
  unary('Sigmoid', (x) => 1 / (1 + Math.exp(-x)));
  unary('LogicalNot', (x) => truth(x === 0), 'bool');
  binary('Add', (a, b) => a + b);
  binary('Sub', (a, b) => a - b);
  binary('Multiply', (a, b) => a * b);
  binary('RealDiv', (a, b) => a / b);
  binary('Minimum', Math.min);
  binary('Maximum', Math.max);
  binary('Greater', (a, b) => truth(a > b), 'bool');
  binary('GreaterEqual', (a, b) => truth(a >= b), 'bool');
  binary('Less', (a, b) => truth(a < b), 'bool');
  binary('LessEqual', (a, b) => truth(a <= b), 'bool');
  binary('LogicalAnd', (a, b) => truth(a !== 0 && b !== 0), 'bool');
  binary('LogicalOr', (a, b) => truth(a !== 0 || b !== 0), 'bool');
  kernel('ClipByValue', (inputs, { clipValueMin, clipValueMax }) => {
    const { shape, values } = input(inputs, 'x');
    const [low, high] = [Number(clipValueMin), Number(clipValueMax)];
    return { shape, values: values.map((x) => Math.min(Math.max(x, low), high)) };
  });
  kernel(
    'Select',
    (inputs) => {
      const [condition, chosen, other] = ['condition', 't', 'e'].map((name) => input(inputs, name).values);
      const { shape } = input(inputs, 't');
      return {
        shape,
        values: Float64Array.from(chosen ?? [], (x, i) => (condition?.[i] ? x : (other?.[i] ?? NaN))),
      };
    },
    'float32',
  );
  kernel('Sum', (inputs, { axis, keepDims }) => {
    const { shape, values } = input(inputs, 'x');
    const axes = tf.util.parseAxisParam(axis as number[], shape);
    const kept = shape.map((size, i) => (axes.includes(i) ? 1 : size));
    const sums = new Float64Array(tf.util.sizeFromShape(kept));
    const at = broadcast(kept, shape);
    values.forEach((value, i) => {
      const place = at(i);
      sums[place] = (sums[place] ?? 0) + value;
    });
    return { shape: keepDims === true ? kept : shape.filter((_, i) => !axes.includes(i)), values: sums };
  });
}

/** Makes this backend current. Tensors of other backends keep theirs. */
export async function startExactBackend(): Promise<void> {
  if (tf.findBackendFactory(NAME) === null) {
    registerKernels();
    tf.registerBackend(NAME, () => new ExactBackend());
  }
  await tf.setBackend(NAME);
}

/** A tensor that keeps all digits of its values: tfjs' own functions round what they are given to f32. */
export function exactTensor2d(rows: readonly ArrayLike<number>[], columns: number): tf.Tensor2D {
  const values = new Float64Array(rows.length * columns);
  rows.forEach((row, i) => values.set(Array.from(row), i * columns));
  return tf
    .engine()
    .makeTensor(values as unknown as Float32Array, [rows.length, columns], 'float32') as tf.Tensor2D;
}
