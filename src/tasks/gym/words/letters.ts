/** Letters, and truths as Python writes them. */

export const LETTERS: readonly string[] = Array.from('abcdefghijklmnopqrstuvwxyz');

export function pythonBoolean(truth: boolean): string {
  return truth ? 'True' : 'False';
}

export function otherTruth(answer: string | null): string {
  return pythonBoolean(answer !== 'True');
}

/** The string's letters in alphabetical order. */
export function sortLetters(text: string): string {
  return Array.from(text).toSorted().join('');
}
