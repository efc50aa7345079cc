/** A loss as a formula, written from the ops that compute it, with the symbols of docs/losses.md or with the numbers of one token. */
import type { Trace, TracedOp } from '@rl-playground/engine/parts';
import { tf, traced } from '@rl-playground/engine/parts/tensors';
import type { RunConfig } from '../settings/schema/schema.ts';
import { lossOptions } from '../loop/lossOptions.ts';
import { lossInputs, type LossAnswer, type TokenTerms } from './tokenTerms.ts';

/** A part of the loss at one token. */
export interface FormulaLine {
  readonly name: string;
  readonly symbols: string;
  /** The same formula with this token's numbers. */
  readonly numbers: string;
  readonly value: number;
}

/** The strength with which the end of a text binds: sums least, then products, then all that needs no brackets. */
const Bond = { Sum: 0, Product: 1, Whole: 2 } as const;

interface Text {
  readonly text: string;
  readonly bond: number;
}

type Style = 'symbols' | 'numbers';

const SYMBOLS = {
  logprob: 'log p',
  oldLogprob: 'log p_old',
  samplerLogprob: 'log q',
  referenceLogprob: 'log p_ref',
  advantage: 'A',
  kept: 'kept',
} as const;

/** Kernels through which a value goes as it is. */
const THROUGH = new Set(['Identity', 'Cast', 'Reshape']);
const BETWEEN: Readonly<Record<string, readonly [sign: string, bond: number]>> = {
  Add: ['+', Bond.Sum],
  Sub: ['−', Bond.Sum],
  Multiply: ['·', Bond.Product],
  RealDiv: ['/', Bond.Product],
  Greater: ['>', Bond.Sum],
  GreaterEqual: ['≥', Bond.Sum],
  Less: ['<', Bond.Sum],
  LogicalAnd: ['and', Bond.Sum],
  LogicalOr: ['or', Bond.Sum],
};
const FUNCTIONS: Readonly<Record<string, string>> = {
  Exp: 'exp',
  Log: 'log',
  Sigmoid: 'σ',
  Minimum: 'min',
  Maximum: 'max',
  LogicalNot: 'not',
};

/** A constant of the formula, without what f32 adds to it. */
const constantText = (value: number): string => String(Number(value.toPrecision(6))).replace('-', '−');

const bracketed = ({ text, bond }: Text, least: number): string => (bond < least ? `(${text})` : text);

/** The terms of an answer that its formula is written with. */
export type FormulaTerms = Pick<TokenTerms, 'kept' | 'weight' | 'entropy' | 'entropyWeights'>;

/** The loss of one answer as it was computed. */
export class TracedLoss {
  readonly #trace: Trace;
  readonly #loss: tf.Tensor;
  /** Values by tensor id. */
  readonly #values: ReadonlyMap<number, ArrayLike<number>>;
  readonly #terms: FormulaTerms;

  private constructor(
    trace: Trace,
    loss: tf.Tensor,
    values: ReadonlyMap<number, ArrayLike<number>>,
    terms: FormulaTerms,
  ) {
    this.#trace = trace;
    this.#loss = loss;
    this.#values = values;
    this.#terms = terms;
  }

  /** The answer must have been trained on. */
  static async of(answer: LossAnswer, terms: FormulaTerms, config: RunConfig): Promise<TracedLoss> {
    const { trained: seen } = answer;
    if (seen === null) throw new Error('An answer that was left out of the update has no terms in its loss.');
    const inputs = lossInputs(answer, seen, terms.kept);
    const { tokenLoss } = lossOptions(config);
    const { result: loss, trace } = traced(() => tokenLoss(inputs));
    for (const [key, symbol] of Object.entries(SYMBOLS)) {
      const leaf = inputs[key as keyof typeof SYMBOLS];
      if (leaf) trace.names.set(leaf.id, symbol);
    }
    const leaves = Object.values(inputs) as tf.Tensor[];
    const tensors = [...new Set<tf.Tensor>([...trace.tensors, loss, ...leaves])];
    const values = await Promise.all(tensors.map((tensor) => tensor.data()));
    const found = new Map(tensors.map(({ id }, i) => [id, values[i] ?? []] as const));
    tf.dispose(tensors);
    return new TracedLoss(trace, loss, found, terms);
  }

  /** ℓ at token t, then each part that it names, then what an entropy bonus makes of it. `show` writes numbers. */
  at(t: number, show: (value: number) => string): FormulaLine[] {
    const lines = new Map<number, FormulaLine>();
    const line = (name: string, tensor: tf.Tensor): FormulaLine => {
      const named: tf.Tensor[] = [];
      const write = (style: Style): string => this.#written(tensor, { t, style, show, named }, true).text;
      const own = {
        name,
        symbols: write('symbols'),
        numbers: write('numbers'),
        value: this.#value(tensor, t),
      };
      lines.set(tensor.id, own);
      for (const part of named) if (!lines.has(part.id)) line(this.#trace.names.get(part.id) ?? '', part);
      return own;
    };
    const { value: loss } = line('ℓ', this.#loss);
    return [...lines.values(), ...this.#withBonus(t, loss, show)];
  }

  /** The token's part of its update's loss; nothing if that is no more than w · ℓ. */
  #withBonus(t: number, loss: number, show: (value: number) => string): FormulaLine[] {
    const { weight, entropy, entropyWeights } = this.#terms;
    const each = entropyWeights[t] ?? 0;
    const bonus = entropy[t] ?? 0;
    if (each === 0) return [];
    const one = (value: number): string => (value < 0 ? `(${show(value)})` : show(value));
    return [
      {
        name: 'adds',
        symbols: `w · ℓ − ${show(-each)} · H`,
        numbers: `${one(weight)} · ${one(loss)} − ${show(-each)} · ${show(bonus / each)}`,
        value: weight * loss + bonus,
      },
    ];
  }

  #value({ id }: tf.Tensor, t: number): number {
    const values = this.#values.get(id) ?? [];
    return values[values.length === 1 ? 0 : t] ?? NaN;
  }

  /** Writes a tensor as text. If `inside`, it writes its parts although it has a name. Named parts that are met are added to `named`. */
  #written(
    tensor: tf.Tensor,
    how: {
      readonly t: number;
      readonly style: Style;
      readonly show: (value: number) => string;
      readonly named: tf.Tensor[];
    },
    inside = false,
  ): Text {
    const { t, style, show, named } = how;
    const { ops, names } = this.#trace;
    const name = names.get(tensor.id);
    const op = ops.get(tensor.id);
    if (name !== undefined && !(inside && op)) {
      if (op) named.push(tensor);
      if (style === 'symbols') return { text: name, bond: Bond.Whole };
      const text = show(this.#value(tensor, t));
      return { text, bond: /^[−-]/.test(text) ? Bond.Sum : Bond.Whole };
    }
    if (!op) {
      const text = constantText(this.#value(tensor, t));
      return { text, bond: text.startsWith('−') ? Bond.Sum : Bond.Whole };
    }
    return this.#ofOp(op, t, (part) => this.#written(part, how));
  }

  #ofOp({ name, of, bounds }: TracedOp, t: number, write: (part: tf.Tensor) => Text): Text {
    const [first, second, third] = of;
    if (first === undefined) return { text: name, bond: Bond.Whole };
    if (THROUGH.has(name)) return write(first);
    if (name === 'Neg') return { text: `−${bracketed(write(first), Bond.Product)}`, bond: Bond.Sum };
    if (name === 'Square') return { text: `${bracketed(write(first), Bond.Whole)}²`, bond: Bond.Whole };
    // Of the two sides of a choice the token's own.
    if (name === 'Select' && second && third) return write(this.#value(first, t) > 0 ? second : third);
    const between = BETWEEN[name];
    if (between && second) {
      const [sign, bond] = between;
      const one = [first, second].filter((part) => !this.#isOne(part));
      if (sign === '·' && one.length < 2) return write(one[0] ?? first);
      // What is taken off or divided by keeps its brackets, and so does a sum that is compared.
      const right = sign === '−' || sign === '/' || bond === Bond.Sum ? bond + 1 : bond;
      const left = sign === '−' || sign === '+' || bond === Bond.Product ? bond : bond + 1;
      const plus = sign === '+' ? bond : right;
      return { text: `${bracketed(write(first), left)} ${sign} ${bracketed(write(second), plus)}`, bond };
    }
    const written = of.map((part) => write(part).text);
    return {
      text: `${FUNCTIONS[name] ?? (bounds ? 'clip' : name)}(${[...written, ...(bounds ?? []).map(constantText)].join(', ')})`,
      bond: Bond.Whole,
    };
  }

  /** True for a constant that a product does not need. */
  #isOne({ id }: tf.Tensor): boolean {
    const { ops, names } = this.#trace;
    return (
      !ops.has(id) && !names.has(id) && Array.from(this.#values.get(id) ?? []).every((each) => each === 1)
    );
  }
}
