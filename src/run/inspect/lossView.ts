/** A loss at the tokens of one answer, for a person who compares two of them: formula, value and gradient coefficient. */
import type { LossInputs } from '@rl-playground/engine/parts';
import { lossDerivatives, tf } from '@rl-playground/engine/parts/tensors';
import { lossOptions } from '../loop/lossOptions.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { TracedLoss, type FormulaLine } from './formula.ts';
import { lossInputs, tokenTerms, type LossAnswer, type TokenTerms } from './tokenTerms.ts';

/** The gradient coefficient that a loss would have if the token's ratio were another. */
export interface CurvePoint {
  readonly ratio: number;
  readonly coefficient: number;
}

/** The ratios of a curve: from a token that has become 20 times less likely to one that is twice as likely. */
const RATIOS: readonly number[] = Array.from({ length: 40 }, (_, i) => (i + 1) / 20);

type Seen = NonNullable<LossAnswer['trained']>;

/** −dℓ/d log p of every entry of the inputs, where ℓ is summed over all of them. */
async function coefficients(inputs: LossInputs, config: RunConfig): Promise<Float32Array> {
  const { logprob, ...held } = inputs;
  const weights = tf.ones<tf.Rank.R2>(logprob.shape);
  const flat = tf.reshape(logprob, [-1]);
  const values = { logprob: flat, entropy: flat };
  const found = lossDerivatives(lossOptions(config).tokenLoss, held, values, weights, null);
  const slopes = await found.dlogprob.data<'float32'>();
  tf.dispose([found.value, found.dlogprob, found.dentropy, flat, weights, logprob, ...Object.values(held)]);
  return slopes.map((slope) => -slope || 0);
}

export class LossView {
  readonly #answer: LossAnswer;
  readonly #seen: Seen;
  readonly #config: RunConfig;
  readonly #traced: TracedLoss;
  readonly terms: TokenTerms;
  /** g = −dℓ/d log p at each token: the update moves the weights along w · g · ∇ log p. */
  readonly coefficients: readonly number[];

  private constructor(
    answer: LossAnswer & { readonly trained: Seen },
    config: RunConfig,
    traced: TracedLoss,
    terms: TokenTerms,
    slopes: readonly number[],
  ) {
    this.#answer = answer;
    this.#seen = answer.trained;
    this.#config = config;
    this.#traced = traced;
    this.terms = terms;
    this.coefficients = slopes;
  }

  /** The loss of `config` at `answer`, which is one of a step's `answers`; null if the answer was left out of the update. */
  static async of(
    answers: readonly LossAnswer[],
    answer: LossAnswer,
    config: RunConfig,
  ): Promise<LossView | null> {
    const { trained } = answer;
    const [terms = null] = (await tokenTerms(answers, config, new Set([answer]))).filter(
      (each) => each !== null,
    );
    if (trained === null || terms === null) return null;
    const traced = await TracedLoss.of(answer, terms, config);
    const slopes = await coefficients(lossInputs(answer, trained, terms.kept), config);
    return new LossView({ ...answer, trained }, config, traced, terms, Array.from(slopes));
  }

  /** ℓ at token t with its parts, as formulas. `show` writes numbers. */
  at(t: number, show: (value: number) => string): FormulaLine[] {
    return this.#traced.at(t, show);
  }

  /** The coefficient at token t over the ratio of that token alone: the other tokens of the answer keep theirs. */
  async curve(t: number): Promise<CurvePoint[]> {
    const { tokens } = this.#answer;
    const old = this.#seen.oldLogprobs[t] ?? NaN;
    const rows = tf.tidy(() => {
      const inputs = lossInputs(this.#answer, this.#seen, this.terms.kept);
      const repeated = Object.entries(inputs).map(([name, row]) => [
        name,
        tf.tile(row as tf.Tensor2D, [RATIOS.length, 1]),
      ]);
      const at = Array.from(tokens, (_, i) => (i === t ? 1 : 0));
      const moved = RATIOS.map((ratio) => at.map((own) => own * (old + Math.log(ratio))));
      const all = Object.fromEntries(repeated) as LossInputs;
      const others = tf.tensor1d(at.map((own) => 1 - own));
      return { ...all, logprob: tf.add<tf.Tensor2D>(tf.mul(all.logprob, others), tf.tensor2d(moved)) };
    });
    const slopes = await coefficients(rows, this.#config);
    return RATIOS.map((ratio, i) => ({ ratio, coefficient: slopes[i * tokens.length + t] ?? NaN }));
  }
}
