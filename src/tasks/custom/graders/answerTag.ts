import { extractAnswer, hasAnswerForm } from '../../gym/shared/answerTag.ts';
import type { SettingsOf } from '../definition.ts';
import { sameText } from './text.ts';
import type { Grader } from './types.ts';

/** The text between the last `<answer>` and `</answer>`; the form is one such pair with nothing behind it. */
export function answerTagGrader(settings: SettingsOf<'answer_tag'>): Grader {
  return {
    grade(text, answer) {
      const extracted = extractAnswer(text, 'answer', settings.ignoreSpace);
      const correct = extracted !== null && sameText(extracted, answer, settings);
      return { extracted, correct, format: hasAnswerForm(text) };
    },
    worked: (answer) => `<answer>${answer}</answer>`,
    answerError: (answer) =>
      /<\/?answer>/.test(answer)
        ? 'its answer holds an <answer> tag, which no answer between tags can'
        : null,
  };
}
