import { describe, expect, it } from 'vitest';
import { GRADER_DEFAULTS } from '../../define/definition.ts';
import { graderOf } from './index.ts';

const grader = graderOf(GRADER_DEFAULTS.multiple_choice);

/** True, false, or that the gold is refused. */
function verdict(gold: string, text: string): boolean | 'refused' {
  if (grader.answerError(gold) !== null) return 'refused';
  expect(grader.grade(grader.worked(gold), gold).correct).toBe(true);
  return grader.grade(text, gold).correct;
}

describe('multiple choice', () => {
  it.each<[gold: string, text: string, right: boolean | 'refused']>([
    ['B', 'B', true],
    ['B', 'b', true],
    ['B', 'Answer - B', true],
    ['B', 'Answer:B', true],
    ['B', 'answer=B', true],
    ['B', "I'd go with B", true],
    ['B', "It's B", true],
    ['B', 'my answer: `B`', true],
    ['B', 'The answer is therefore B', true],
    ['B', 'The answer is **B**: Paris', true],
    ['B', 'Answer: B, C', false],
    ['B', 'B/C', false],
    ['B', 'A & B', false],
    ['B', 'Neither A nor B', false],
    ['B', 'None of the above', false],
    ['B', 'The answer is not B.', false],
    ['B', '答案是B', true],
    ['B', '（B）', true],
    ['B', 'A. Because B is not valid', false],
    ['B', 'Because B is valid', true],
    ['B', 'The answer to the question is B.', true],
    ['B', 'Of A, B, C and D, I would say B.', false],
    ['A', 'A) Paris', true],
    ['A', 'Answer: A) Paris', true],
    ['I', 'I', 'refused'],
    ['B', '(b)', true],
    ['B', 'B or C', false],
    ['B', 'A B C D', false],
    ['D', 'A B C D', false],
    ['C', 'B and C', false],
    ['C', 'C, because I computed', true],
    ['B', 'Option B is correct.', true],
    ['B', 'B is the correct answer', true],
    ['C', 'Option A is wrong, so C', true],
    ['C', 'A is wrong. B is wrong. So C.', true],
    ['A', 'A lot of apples', false],
    ['A', 'a lot of apples', false],
    ['B', 'The answer is (B) 12', true],
    ['B', 'The answer is: (b)', true],
    ['B', 'answer: b', true],
    ['B', 'Answer: B.', true],
    ['B', 'The answer is not A but B', true],
    ['D', 'A) 1\nB) 2\nC) 3\nD) 4', false],
    ['A', 'A) Paris B) London C) Rome', false],
    ['B', 'A) Paris\nB) London\n\nI choose B.', true],
    ['B', 'So the answer is B, since A is too small.', true],
    ['(B)', 'B', true],
    ['B.', 'B', true],
    ['B)', 'B', true],
    ['[B]', 'B', true],
    ['**B**', 'B', true],
    ['\\text{(B)}', 'B', true],
    ['\\boxed{B}', 'B', true],
    ['#### B', 'B', true],
    ['E', 'E', 'refused'],
    ['a lot of apples', 'A', 'refused'],
    ['BC', 'B', 'refused'],
    ['1', 'A', 'refused'],
    ['A or B', 'A', 'refused'],
    ['A/B', 'A', 'refused'],
    ['', 'A', 'refused'],
    ['B', 'The correct option is B', true],
    ['B', 'Therefore, B.', true],
    ['B', 'I think it is B', true],
    ['A', 'A', true],
    ['A', 'The answer is A', true],
    ['A', 'The answer is A.', true],
    ['A', 'The answer is A because it is big', true],
    ['B', 'The best choice: B', true],
    ['B', 'Final answer: **(B)**', true],
    ['B', '\\boxed{\\text{B}}', true],
    ['B', '\\boxed{B. 12}', true],
    ['B', '$\\boxed{B}$', true],
    // A formula in a box says no letter.
    ['D', 'So \\boxed{\\langle B\\rangle \\ll \\Delta A}.\n\n**Answer: D**', true],
    ['C', 'Not B. Not A. It must be C.', true],
    ['B', 'Answer: B\n\nExplanation: A is too big, C too small.', true],
    ['B', 'ANSWER IS B', true],
    ['B', 'B\nBecause A is bad', true],
    ['A', 'I am sure', false],
    ['B', '<answer>b</answer>', true],
    ['B', '<answer>B or C</answer> B', false],
    ['B', '<answer>The answer is B</answer>', true],
    ['B', '<answer>B) 5</answer>', true],
    ['D', 'Either C or D', false],
    ['B', 'Both A and B are right', false],
  ])('gold %j, text %j: %j', (gold, text, right) => expect(verdict(gold, text)).toBe(right));

  it('takes I for the pronoun where there are ten choices', () => {
    const ten = graderOf({ kind: 'multiple_choice', choices: 10 });
    expect(ten.grade('C, because I computed it', 'C')).toMatchObject({ correct: true });
    expect(ten.grade('The answer is C. I checked.', 'I')).toMatchObject({ correct: false });
    expect(ten.grade('<answer>I</answer>', 'I')).toMatchObject({ correct: true });
  });
});
