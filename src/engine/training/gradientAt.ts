/** The gradient of one update at given weights, apart from the sums that the optimizer learns from: for a drawing of where it is large. */
import { wholeSequence } from '../calls/calls.ts';
import { addLossGradient } from '../calls/backward.ts';
import type { PassParts } from '../calls/tokenValues.ts';
import { countedTokens } from '../loss/reduction.ts';
import type { Sequence } from '../loss/sequence.ts';
import type { LossOptions } from '../loss/trainingLoss.ts';
import { AdapterPool, type TrainedGradients } from '../model/adapter.ts';
import type { LanguageModel } from '../model/languageModel.ts';
import { trainOnUpdate } from './batchTrainer.ts';

/** Σ g² of each trained tensor, by its name in a file; under LoRA of both factors of a module, by the module's name. */
export type GradientSquares = ReadonlyMap<string, number>;

/** Resolves to the squares of the gradient of `loss` over `sequences` as one update. A value head is left out. */
export async function gradientAt(
  policy: LanguageModel,
  sequences: readonly Sequence[],
  loss: LossOptions,
  { microBatchTokens, breathe }: PassParts,
): Promise<GradientSquares> {
  const gradients = policy.trainable.newGradients();
  const parts = {
    policy,
    gradients,
    valueGradients: null,
    microBatchTokens,
    breathe,
    giveUp: () => undefined,
  };
  try {
    await trainOnUpdate(sequences, [sequences.map((_, i) => i)], {
      engine: {
        forwardBackward: (given, named, options) =>
          addLossGradient(given.map(wholeSequence), named, parts, options ?? {}),
      },
      loss: { ...loss, value: null },
      ratioToItself: false,
      updateTokens: countedTokens(sequences),
    });
    return await squaresOf(gradients, breathe);
  } finally {
    gradients.dispose();
  }
}

async function squaresOf(
  gradients: TrainedGradients,
  breathe: PassParts['breathe'],
): Promise<GradientSquares> {
  const values = await gradients.pack();
  const squares = new Map<string, number>();
  const add = (name: string, from: number, columns: number, rows: number, width: number): void => {
    let sum = squares.get(name) ?? 0;
    for (let row = 0; row < rows; row++)
      for (let at = from + row * width, end = at + columns; at < end; at++) sum += (values[at] ?? NaN) ** 2;
    squares.set(name, sum);
  };
  if (gradients instanceof AdapterPool)
    for (const { module, a, b } of gradients.specs) {
      for (const { offset, shape } of [a, b]) add(module, offset, shape[1], shape[0], shape[1]);
      await breathe();
    }
  else
    for (const { offset, shape, parts } of gradients.specs) {
      const [rows = 1, width = 1] = shape.length === 1 ? [1, shape[0]] : shape;
      for (const { name, column, columns } of parts) add(name, offset + column, columns, rows, width);
      await breathe();
    }
  return squares;
}
