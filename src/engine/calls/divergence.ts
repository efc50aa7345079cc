/** Measures KL between two versions of a model at each token of a text, over the whole vocabulary. */
import { checkBackend } from '../backend/backendHealth.ts';
import { breatheIfDue } from '../backend/eventLoop.ts';
import * as tf from '../backend/tf.ts';
import { rowsOf } from '../model/headChunks.ts';
import type { ForwardState, LanguageModel } from '../model/languageModel.ts';
import type { SampledCompletion } from '../rollout/decoding/types.ts';
import { paddedLength } from '../update/batch.ts';

/** The most bytes of logits of one model that are read at once. */
const READ_BYTES = 8 * 2 ** 20;

/** A prompt and an answer to it. */
export interface Answered extends Pick<SampledCompletion, 'tokens'> {
  readonly promptIds: readonly number[];
}

/** A forward pass that goes on at the places where `tokens` are predicted. */
async function passOf(model: LanguageModel, { promptIds, tokens }: Answered): Promise<ForwardState> {
  const length = paddedLength({ promptIds, tokens });
  const ids = new Int32Array(length);
  ids.set([...promptIds, ...tokens.slice(0, -1)]);
  const wanted = Int32Array.from(tokens, (_, i) => promptIds.length - 1 + i);
  const batch = { batch: 1, length, ids, targets: new Int32Array(length), wanted };
  return model.forward(batch, breatheIfDue, { forBackward: false });
}

/** KL(p ‖ q) in nats of two distributions that are given by their logits. */
export function klOfLogits(p: Float32Array, q: Float32Array): number {
  const logSum = (logits: Float32Array): number => {
    const largest = logits.reduce((most, value) => Math.max(most, value), -Infinity);
    return largest + Math.log(logits.reduce((sum, value) => sum + Math.exp(value - largest), 0));
  };
  const [ofP, ofQ] = [logSum(p), logSum(q)];
  const kl = p.reduce((sum, value, i) => {
    const logP = value - ofP;
    return sum + Math.exp(logP) * (logP - ((q[i] ?? NaN) - ofQ));
  }, 0);
  // Rounding makes a distribution part from itself by less than nothing.
  return Math.max(0, kl);
}

/**
 * Returns KL(now ‖ before) in nats before each token of an answer, at temperature 1 and over the whole vocabulary: no estimate from the
 * tokens that were drawn. Both models must have positions for prompt and answer, padding included.
 */
export async function divergences(
  now: LanguageModel,
  before: LanguageModel,
  answered: Answered,
): Promise<number[]> {
  const places = answered.tokens.length;
  if (places === 0) return [];
  const states = [await passOf(now, answered), await passOf(before, answered)] as const;
  const { vocabSize } = now.config;
  const size = Math.max(1, Math.floor(READ_BYTES / (4 * vocabSize)));
  const found: number[] = [];
  const logitsAt = async (model: LanguageModel, state: ForwardState, begin: number) => {
    const chunk = { begin, size: Math.min(size, places - begin) };
    const logits = tf.tidy(() => tf.clone(model.logits({ ...state, hidden: rowsOf(state.hidden, chunk) })));
    const values = await logits.data<'float32'>();
    const [rows, width] = logits.shape;
    logits.dispose();
    return Array.from({ length: rows }, (_, i) => values.subarray(i * width, i * width + vocabSize));
  };
  try {
    for (let begin = 0; begin < places; begin += size) {
      const [p, q] = [await logitsAt(now, states[0], begin), await logitsAt(before, states[1], begin)];
      for (const [i, row] of p.entries()) {
        found.push(klOfLogits(row, q[i] ?? new Float32Array()));
        await breatheIfDue();
      }
    }
    await checkBackend();
    return found;
  } finally {
    now.release(states[0]);
    before.release(states[1]);
  }
}
