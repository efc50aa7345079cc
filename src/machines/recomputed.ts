/** Computes the trainer's log-probabilities of all tokens in answers from elsewhere, and its logits at some of their places. */
import {
  breatheIfDue,
  packMicrobatches,
  unpackRows,
  type Microbatch,
  type GroupRequest,
  type SampledCompletion,
} from '@rl-playground/engine/parts';
import {
  type LanguageModel,
  checkBackend,
  disposeSelection,
  pickedRows,
  selectRows,
} from '@rl-playground/engine/parts/tensors';

const PASS_TOKENS = 4096;

export interface Place {
  readonly answer: number;
  readonly token: number;
}

export interface Recomputed {
  /** The log-probabilities of each answer's tokens. */
  readonly logprobs: readonly Float32Array[];
  /** The logits [V] of each wanted place, in any order. */
  readonly rows: readonly (Place & { readonly logits: Float32Array })[];
}

/** Computes them in one forward pass. `wants` chooses the places whose logits are wanted, few enough for all their logits to be in memory. */
export async function recomputed(
  model: LanguageModel,
  { promptIds }: Pick<GroupRequest, 'promptIds'>,
  completions: readonly SampledCompletion[],
  temperature: number,
  wants: (place: Place) => boolean,
): Promise<Recomputed> {
  const sequences = completions.map(({ tokens }) => ({
    promptIds,
    tokens,
    samplerLogprobs: [],
    advantages: [],
  }));
  const logprobs: Float32Array[] = [];
  const rows: Recomputed['rows'][number][] = [];
  for (const microbatch of packMicrobatches(sequences, () => 0, PASS_TOKENS)) {
    const state = await model.forward(microbatch, breatheIfDue, { forBackward: false });
    const { logprob, entropy } = await model.logprobs(state, temperature, breatheIfDue);
    entropy.dispose();
    const places = placesOf(microbatch);
    const wanted = [...places.keys()].filter((row) => wants(places[row] as Place));
    if (wanted.length > 0) {
      const selection = selectRows(Int32Array.from(wanted), places.length);
      const hidden = pickedRows(state.hidden, selection);
      const logits = model.logits({ ...state, hidden });
      hidden.dispose();
      disposeSelection(selection);
      const values = await logits.data<'float32'>();
      logits.dispose();
      const { vocabSize } = model.config;
      for (const [i, row] of wanted.entries())
        rows.push({
          ...(places[row] as Place),
          logits: values.subarray(i * vocabSize, (i + 1) * vocabSize),
        });
    }
    model.release(state);
    unpackRows(microbatch, await logprob.data<'float32'>(), logprobs);
    logprob.dispose();
  }
  await checkBackend();
  return { logprobs, rows };
}

/** The place of each row that goes on after the last attention. */
const placesOf = ({ rows, spans }: Microbatch): Place[] =>
  rows.flatMap((answer, b) =>
    Array.from({ length: spans[b]?.tokens ?? 0 }, (_, token) => ({ answer, token })),
  );
