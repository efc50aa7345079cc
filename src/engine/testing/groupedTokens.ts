/** A batch of random tokens whose rows share prompts, for tests. */
import type { RandomInputs } from '../kernels/testing/random.ts';
import type { TokenBatch } from '../model/languageModel.ts';

const LENGTH = 24;

/** Two groups and a row alone: prompts of 14, 1 and 6 tokens, and answers of one token and more, up to the end of a row. */
const GROUPS = [
  { prompt: 14, answers: [11, 1, 4] },
  { prompt: 1, answers: [9, 24] },
  { prompt: 6, answers: [3] },
];

export function groupedTokens(vocabSize: number, random: RandomInputs): Required<TokenBatch> {
  const rows = GROUPS.flatMap(({ prompt, answers }) => {
    const own = random.ints(prompt, vocabSize);
    return answers.map((tokens, j) => ({ own, tokens, copies: answers.length - j }));
  });
  const size = rows.length * LENGTH;
  const [ids, targets] = [new Int32Array(size), random.ints(size, vocabSize)];
  const [wanted, first, copies]: number[][] = [[], [], []];
  rows.forEach(({ own, tokens, copies: left }, b) => {
    const isFirst = rows[b - 1]?.own !== own;
    const used = own.length + tokens - 1;
    ids.set([...own, ...random.ints(tokens - 1, vocabSize)], b * LENGTH);
    for (let t = 0; t < used; t++) {
      const inPrompt = t < own.length;
      if (t >= own.length - 1) wanted?.push(b * LENGTH + t);
      if (inPrompt && !isFirst) continue;
      first?.push(b * LENGTH + t);
      copies?.push(inPrompt ? left : 1);
    }
  });
  return {
    batch: rows.length,
    length: LENGTH,
    ids,
    targets,
    wanted: Int32Array.from(wanted ?? []),
    shared: { first: Int32Array.from(first ?? []), copies: Int32Array.from(copies ?? []) },
  };
}
