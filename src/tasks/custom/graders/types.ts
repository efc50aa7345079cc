import type { MatchedBy } from '../../types.ts';

/** What a grader read in a completion, and what it makes of it. */
export interface Verdict {
  /** What was taken for the answer, or null. */
  readonly extracted: string | null;
  readonly correct: boolean;
  /** In the form that the grader asks for. */
  readonly format: boolean;
  /** Where several places are looked at, the one that the answer was found in. */
  readonly matchedBy?: MatchedBy;
  /** Why the row can't be graded. */
  readonly error?: string;
}

export interface Grader {
  /** Linear in the length of `text`; never throws. */
  grade(text: string, answer: string): Verdict;
  /** A completion that is right. */
  worked(answer: string): string;
  /** Why no completion could be right for a row with this answer; null where one can. */
  answerError(answer: string): string | null;
}
