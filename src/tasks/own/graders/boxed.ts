import { sameText } from './text.ts';
import type { Grader } from './types.ts';

const BOXED = '\\boxed{';

/** What stands in the last `\boxed{…}` whose braces close, or null. */
function lastBoxed(text: string): string | null {
  const start = text.lastIndexOf(BOXED);
  if (start < 0) return null;
  let depth = 1;
  for (let at = start + BOXED.length; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return text.slice(start + BOXED.length, at);
  }
  return null;
}

/** The last `\boxed{…}`; there being one is the form. */
export function boxedGrader(): Grader {
  return {
    grade(text, answer) {
      const extracted = lastBoxed(text);
      const correct =
        extracted !== null && sameText(extracted, answer, { ignoreCase: false, ignoreSpace: true });
      return { extracted, correct, format: extracted !== null };
    },
    worked: (answer) => `\\boxed{${answer}}`,
    answerError: () => null,
  };
}
