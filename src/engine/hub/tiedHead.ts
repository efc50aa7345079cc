/** Checks a head that is stored although `config.json` says that the embedding is the head. */
import { PIECE_BYTES, readNumbers, type StoredWeights } from '../model/storedWeights.ts';
import { sizeOf } from '../model/parameters.ts';
import { grouped } from '@rl-playground/base/text';
import { ModelFileError } from './types.ts';
import { EMBEDDING, HEAD } from '../model/weightNames.ts';

/**
 * Accepts a head that equals the embedding, as some exporters store one. A head that differs is read in two ways: releases of
 * transformers up to 4.5x replace it by the embedding, and releases from 5 on use it.
 *
 * @throws ModelFileError if a stored head differs from the embedding.
 */
export async function checkTiedHead(tensors: StoredWeights, label: string): Promise<void> {
  const head = tensors.get(HEAD);
  const embedding = tensors.get(EMBEDDING);
  if (!head || !embedding) return;
  const size = sizeOf(embedding.shape);
  let different = sizeOf(head.shape) === size ? 0 : size;
  for (let begin = 0; begin < size && different < size; begin += PIECE_BYTES / 4) {
    const end = Math.min(size, begin + PIECE_BYTES / 4);
    // The two are read in turn, because a reader may return the same memory again.
    const ours = await readNumbers(head, begin, end);
    const theirs = await readNumbers(embedding, begin, end);
    for (let i = 0; i < ours.length; i++) if (ours[i] !== theirs[i]) different++;
  }
  if (different > 0)
    throw new ModelFileError(
      `${label}: config.json ties the head to the embedding (tie_word_embeddings), but ${HEAD} is stored and differs from ${EMBEDDING} in ${grouped(different)} of ${grouped(size)} numbers. Set tie_word_embeddings to false to use the stored head, or take it out of the file.`,
    );
}
