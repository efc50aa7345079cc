/** The sequences of a reference model: three, right-padded, with values on the next-token axis. */
import type { TokenBatch } from '../model/languageModel.ts';
import type { Sequence } from '../loss/sequence.ts';
import type { ReferenceModel } from './referenceModel.ts';

export interface Layout {
  readonly batch: number;
  readonly length: number;
  readonly lengths: readonly number[];
  readonly promptLengths: readonly number[];
}

export function layoutOf(reference: ReferenceModel): Layout {
  const [batch = 0, length = 0] = reference.tensors.get('input_ids')?.shape ?? [];
  const lengths = [...reference.expected('lengths')];
  return { batch, length, lengths, promptLengths: [...reference.expected('prompt_lengths')] };
}

/** All sequences as one batch of the reference's own length, predicting the next token everywhere. */
export function wholeBatch(reference: ReferenceModel, { batch, length }: Layout): TokenBatch {
  const ids = Int32Array.from(reference.expected('input_ids'));
  const targets = ids.map((_, i) => (i % length === length - 1 ? 0 : (ids[i + 1] ?? 0)));
  return { batch, length, ids, targets };
}

/** One of the reference's [batch, length − 1] tensors at each completion token, by sequence. */
export function atCompletions(reference: ReferenceModel, name: string): number[][] {
  const { length, lengths, promptLengths } = layoutOf(reference);
  const values = reference.expected(name);
  return promptLengths.map((prompt, row) => {
    const first = row * (length - 1) + prompt - 1;
    return Array.from(values.subarray(first, first + (lengths[row] ?? 0) - prompt));
  });
}

/** The completions as training sequences. */
export function referenceSequences(reference: ReferenceModel): Sequence[] {
  const { length, lengths, promptLengths } = layoutOf(reference);
  const ids = reference.expected('input_ids');
  const sampler = atCompletions(reference, 'sampler_logprobs');
  const policyReference = atCompletions(reference, 'reference_logprobs');
  const advantages = atCompletions(reference, 'advantages');
  return promptLengths.map((prompt, row) => ({
    promptIds: Array.from(ids.subarray(row * length, row * length + prompt)),
    tokens: Array.from(ids.subarray(row * length + prompt, row * length + (lengths[row] ?? 0))),
    samplerLogprobs: sampler[row] ?? [],
    referenceLogprobs: policyReference[row] ?? [],
    advantages: advantages[row] ?? [],
  }));
}
