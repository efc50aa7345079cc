/** What page and worker say to each other. */
import type { Limits } from './limits.ts';
import type { Outcome } from './outcome.ts';

export interface ScoreRequest {
  /** Of the batch; answers carry it. */
  readonly id: number;
  /** As the user wrote it. */
  readonly source: string;
  /** JSON of `problem` and `completion` each. */
  readonly items: readonly string[];
  readonly limits: Limits;
}

export type ScoreAnswer =
  /** Loaded, and the program read: the clock of the first item starts. */
  | { readonly id: number; readonly kind: 'ready' }
  | { readonly id: number; readonly kind: 'outcome'; readonly outcome: Outcome }
  /** The program itself can't be read, or the interpreter not loaded: no item has an outcome. */
  | { readonly id: number; readonly kind: 'failed'; readonly error: string };
