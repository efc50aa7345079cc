import type { RpnVocabulary } from './vocabulary.ts';

function logSumExp(values: readonly number[]): number {
  const largest = Math.max(...values);
  return largest + Math.log(values.reduce((sum, value) => sum + Math.exp(value - largest), 0));
}

/** operand, operator, `=`, `<boe>`, `<eoe>`, `<pad>` */
function classOf({ p, equals }: RpnVocabulary, id: number): number {
  return id < p ? 0 : id < equals ? 1 : 2 + id - equals;
}

/**
 * simplexity's format loss, nats: mean cross-entropy after the vocabulary is merged into six classes of token, so it says how well the
 * grammar is known, whatever the arithmetic. `logits` hold one row per target; `withPad` false leaves out the rows whose target is
 * `<pad>`. NaN without a row.
 */
export function formatLoss(
  vocabulary: RpnVocabulary,
  logits: readonly (readonly number[])[],
  targets: readonly number[],
  withPad = true,
): number {
  const losses = targets.flatMap((target, position) => {
    if (!withPad && target === vocabulary.pad) return [];
    const row = logits[position] ?? [];
    const wanted = classOf(vocabulary, target);
    return [logSumExp(row) - logSumExp(row.filter((_, id) => classOf(vocabulary, id) === wanted))];
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}
