import { stripSpace } from '../../python/text.ts';
import type { SettingsOf } from '../definition.ts';
import { sameText } from './text.ts';
import type { Grader } from './types.ts';

/** The whole completion is the answer. Any completion that says something has the form. */
export function exactGrader(settings: SettingsOf<'exact'>): Grader {
  return {
    grade(text, answer) {
      const said = stripSpace(text) !== '';
      return { extracted: said ? text : null, correct: sameText(text, answer, settings), format: said };
    },
    worked: (answer) => answer,
    answerError: () => null,
  };
}
