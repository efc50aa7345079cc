import { extractBoxed } from '../../math/boxed.ts';
import { gradeAnswer } from '../../math/gradeAnswer.ts';
import type { Grader } from './types.ts';

/** The last `\boxed{…}`, compared as the Tinker cookbook compares; there being one is the form. */
export function boxedGrader(): Grader {
  return {
    grade(text, answer) {
      const extracted = extractBoxed(text);
      const correct = extracted !== null && gradeAnswer(extracted, answer) !== null;
      return { extracted, correct, format: extracted !== null };
    },
    worked: (answer) => `\\boxed{${answer}}`,
    answerError: (answer) =>
      extractBoxed(`\\boxed{${answer}}`) === answer ? null : 'its answer has braces that do not close',
  };
}
