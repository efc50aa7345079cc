/** The three accuracies of an evaluation, each with its interval, whatever temperature the run evaluates at. */
import { wilson95, type Interval } from '@rl-playground/base/intervals';
import { passCurve } from '../metrics/passAtK.ts';
import type { EvalResult } from './evaluate.ts';

export interface Accuracy {
  readonly share: number;
  /** 95 %, by problem. */
  readonly interval: Interval | null;
}

export interface Accuracies {
  /** The accuracy of single answers at the evaluation's temperature; after a greedy one, of the draws for pass@k; null if it has neither. */
  readonly sampled: (Accuracy & { readonly temperature: number }) | null;
  /** The accuracy of greedy answers; null in records made before there were any. */
  readonly greedy: Accuracy | null;
  /** The rate of pass@k; null if its draws were left out. */
  readonly passAtK: (Accuracy & { readonly k: number }) | null;
}

/** The one accuracy by which a run is named: that of greedy answers where they were measured, else of sampled ones. */
export function headlineOf({
  accuracy,
  temperature,
  greedy,
}: Pick<EvalResult, 'accuracy' | 'temperature' | 'greedy'>): {
  readonly share: number;
  readonly kind: 'greedy' | 'sampled';
} {
  const isGreedy = greedy !== undefined || temperature === 0;
  return { share: greedy?.accuracy ?? accuracy, kind: isGreedy ? 'greedy' : 'sampled' };
}

export function accuraciesOf(result: EvalResult): Accuracies {
  const { accuracy, temperature, n, greedy, passAtK } = result;
  const counted = (share: number): Accuracy => ({ share, interval: wilson95(share, n) });
  const likeliest = greedy?.accuracy ?? (temperature === 0 ? accuracy : null);
  const [mean] = temperature === 0 ? passCurve(result) : [];
  return {
    sampled:
      temperature > 0
        ? { ...counted(accuracy), temperature }
        : mean
          ? { share: mean.accuracy, interval: mean.interval, temperature: 1 }
          : null,
    greedy: likeliest === null ? null : counted(likeliest),
    passAtK: passAtK ? { ...counted(passAtK.accuracy), k: passAtK.k } : null,
  };
}
