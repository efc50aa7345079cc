/** GGUF files made by hand, number by number, so that any part of one can be wrong. */

/** A list with the type of its items; `count` is the number that the header says, if it is another. */
export interface GgufList {
  readonly type: number;
  readonly items: readonly GgufItem[];
  readonly count?: number;
}
export type GgufItem = number | boolean | string | GgufList;

export interface GgufEntry {
  readonly key: string;
  readonly type: number;
  readonly value: GgufItem;
}

export interface GgufTensorEntry {
  readonly name: string;
  /** The extents, the innermost first. */
  readonly extents: readonly number[];
  readonly type: number;
  readonly offset: number;
}

export interface GgufSpec {
  readonly magic: string;
  readonly version: number;
  /** The numbers of tensors and values that the header says, if they are others. */
  readonly tensorCount?: number;
  readonly valueCount?: number;
  readonly values: readonly GgufEntry[];
  readonly tensors: readonly GgufTensorEntry[];
  readonly alignment: number;
  /** The bytes behind the header. */
  readonly dataBytes: number;
}

export const UINT32 = 4;
export const INT32 = 5;
export const FLOAT32 = 6;
export const BOOL = 7;
export const TEXT = 8;
export const ARRAY = 9;

const utf8 = new TextEncoder();
const WIDTHS: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};

const whole = (value: number): bigint =>
  BigInt.asUintN(64, BigInt(Number.isFinite(value) ? Math.trunc(value) : 0));

/** The most bytes of a file that is made by hand. */
const MOST_BYTES = 2 ** 22;

class Writer {
  readonly #bytes: number[] = [];

  get length(): number {
    return this.#bytes.length;
  }

  whole(value: number, bytes: number): void {
    const bits = whole(value);
    for (let i = 0; i < bytes; i++) this.#bytes.push(Number((bits >> BigInt(8 * i)) & 255n));
  }

  raw(bytes: Iterable<number>): void {
    for (const byte of bytes) this.#bytes.push(byte);
  }

  text(value: string): void {
    const bytes = utf8.encode(value);
    this.whole(bytes.length, 8);
    this.raw(bytes);
  }

  value(type: number, value: GgufItem): void {
    if (typeof value === 'object') {
      this.whole(value.type, 4);
      this.whole(value.count ?? value.items.length, 8);
      for (const item of value.items) this.value(value.type, item);
    } else if (type === TEXT) this.text(String(value));
    else if (type === FLOAT32) this.raw(new Uint8Array(Float32Array.of(Number(value)).buffer));
    else this.whole(Number(value), WIDTHS[type] ?? 4);
  }

  /** @throws RangeError for more than such files have. */
  zeros(count: number): void {
    if (!(count <= MOST_BYTES)) throw new RangeError(`${count} zeros`);
    for (let i = 0; i < count; i++) this.#bytes.push(0);
  }

  done(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#bytes);
  }
}

/** The file; its data are zeros. */
export function ggufBytes(spec: GgufSpec): Uint8Array<ArrayBuffer> {
  const file = new Writer();
  file.raw(utf8.encode(spec.magic));
  file.whole(spec.version, 4);
  file.whole(spec.tensorCount ?? spec.tensors.length, 8);
  file.whole(spec.valueCount ?? spec.values.length, 8);
  for (const { key, type, value } of spec.values) {
    file.text(key);
    file.whole(type, 4);
    file.value(type, value);
  }
  for (const { name, extents, type, offset } of spec.tensors) {
    file.text(name);
    file.whole(extents.length, 4);
    for (const extent of extents) file.whole(extent, 8);
    file.whole(type, 4);
    file.whole(offset, 8);
  }
  file.zeros((spec.alignment - (file.length % spec.alignment)) % spec.alignment);
  file.zeros(spec.dataBytes);
  return file.done();
}

const texts = (items: readonly string[]): GgufList => ({ type: TEXT, items });

/** The layer of `tinyGguf`, 32 wide, in Q8_0: name, the extents, the innermost first, and the bytes. */
const MATRICES: readonly (readonly [name: string, extents: readonly number[]])[] = [
  ['token_embd.weight', [32, 8]],
  ['blk.0.attn_q.weight', [32, 32]],
  ['blk.0.attn_k.weight', [32, 32]],
  ['blk.0.attn_v.weight', [32, 32]],
  ['blk.0.attn_output.weight', [32, 32]],
  ['blk.0.ffn_gate.weight', [32, 64]],
  ['blk.0.ffn_up.weight', [32, 64]],
  ['blk.0.ffn_down.weight', [64, 32]],
];
const VECTORS = ['output_norm.weight', 'blk.0.attn_norm.weight', 'blk.0.ffn_norm.weight'];
const Q8_0 = 8;
const F32 = 0;

/** A whole model of one layer, whose tokenizer has the tokens a, b, ab and an end. */
export function tinyGguf(): GgufSpec {
  const tensors: GgufTensorEntry[] = [];
  let offset = 0;
  const add = (name: string, extents: readonly number[], type: number): void => {
    tensors.push({ name, extents, type, offset });
    const size = extents.reduce((product, extent) => product * extent, 1);
    const bytes = type === F32 ? 4 * size : (size / 32) * 34;
    offset = 32 * Math.ceil((offset + bytes) / 32);
  };
  for (const [name, extents] of MATRICES) add(name, extents, Q8_0);
  for (const name of VECTORS) add(name, [32], F32);
  const number = (key: string, value: number): GgufEntry => ({ key: `llama.${key}`, type: UINT32, value });
  const values: GgufEntry[] = [
    { key: 'general.architecture', type: TEXT, value: 'llama' },
    number('context_length', 64),
    number('embedding_length', 32),
    number('block_count', 1),
    number('feed_forward_length', 64),
    number('attention.head_count', 4),
    { key: 'llama.attention.layer_norm_rms_epsilon', type: FLOAT32, value: 1e-5 },
    { key: 'llama.rope.freq_base', type: FLOAT32, value: 5e5 },
    { key: 'tokenizer.ggml.model', type: TEXT, value: 'gpt2' },
    { key: 'tokenizer.ggml.pre', type: TEXT, value: 'smollm' },
    { key: 'tokenizer.ggml.tokens', type: ARRAY, value: texts(['<|im_end|>', 'a', 'b', 'ab', 'Ġ']) },
    { key: 'tokenizer.ggml.token_type', type: ARRAY, value: { type: INT32, items: [3, 1, 1, 1, 1] } },
    { key: 'tokenizer.ggml.merges', type: ARRAY, value: texts(['a b']) },
    { key: 'tokenizer.ggml.eos_token_id', type: UINT32, value: 0 },
    { key: 'tokenizer.chat_template', type: TEXT, value: '{{ messages[0].content }}' },
  ];
  return { magic: 'GGUF', version: 3, values, tensors, alignment: 32, dataBytes: offset };
}
