/** The batch and the settings of the timed training step, the same for every participant. */
import type { ModelConfig } from '../../model/config.ts';
import type { TrainWorkload } from '../types.ts';
import { randomFloats, randomIntegers } from './inputs.ts';

/** REINFORCE on fixed advantages, one update of AdamW behind a clip of the global norm. */
export const TRAINING = {
  learningRate: 1e-3,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0.01,
  clipNorm: 1,
} as const;

export interface TrainingData {
  readonly rollouts: number;
  /** Positions of each sequence; it has one token more. */
  readonly length: number;
  readonly promptLength: number;
  /** [rollouts, length + 1]. */
  readonly tokens: Int32Array;
  /** One for each sequence. */
  readonly advantages: Float32Array;
}

export function trainingData(
  { rollouts, length }: Pick<TrainWorkload, 'rollouts' | 'length'>,
  { vocabSize }: Pick<ModelConfig, 'vocabSize'>,
): TrainingData {
  return {
    rollouts,
    length,
    promptLength: Math.max(1, length >> 1),
    tokens: randomIntegers(11, rollouts * (length + 1), 0, vocabSize),
    advantages: randomFloats(12, rollouts),
  };
}

/** Inputs, targets and the weight of each target's log-probability, all [rollouts · length]. */
export function flatBatch({ rollouts, length, promptLength, tokens, advantages }: TrainingData): {
  inputs: Int32Array;
  targets: Int32Array;
  weights: Float32Array;
} {
  const size = rollouts * length;
  const inputs = new Int32Array(size);
  const targets = new Int32Array(size);
  const weights = new Float32Array(size);
  const completion = length + 1 - promptLength;
  for (let b = 0; b < rollouts; b++) {
    for (let t = 0; t < length; t++) {
      const at = b * length + t;
      const token = b * (length + 1) + t;
      inputs[at] = tokens[token] as number;
      targets[at] = tokens[token + 1] as number;
      if (t >= promptLength - 1) weights[at] = (advantages[b] as number) / (rollouts * completion);
    }
  }
  return { inputs, targets, weights };
}
