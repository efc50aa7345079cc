/** The usual names of columns, by which questions and answers are found. */

/** Names that a column may have, the likelier first, in lower case. */
export const USUAL_NAMES = {
  question: [
    'question',
    'prompt',
    'problem',
    'instruction',
    'query',
    'question_stem',
    'ctx',
    'input',
    'messages',
    'conversations',
  ],
  answer: [
    'answer',
    'reward_model.ground_truth',
    'ground_truth',
    'final_answer',
    'expected_answer',
    'correct_answer',
    'answerkey',
    'answer_key',
    'output',
    'target',
    'solution',
    'response',
    'completion',
    'label',
    'answers.text',
    'answers',
    'answer.value',
    'correct',
    'cop',
  ],
  context: ['context', 'passage', 'article'],
  choices: ['choices', 'options', 'endings'],
} as const;

export type UsualKind = keyof typeof USUAL_NAMES;

/** A name as the usual ones are written. */
const plain = (column: string): string =>
  column
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/** The columns whose names are usual for something, the likelier first. */
export function usualColumns(columns: readonly string[], kind: UsualKind): number[] {
  const names = columns.map(plain);
  return USUAL_NAMES[kind].map((usual) => names.indexOf(usual)).filter((index) => index >= 0);
}

/** True if the names include usual ones of a question and of an answer. */
export function namesBoth(columns: readonly string[]): boolean {
  return (['question', 'answer'] as const).every((kind) => usualColumns(columns, kind).length > 0);
}

/** True for a column whose name, or that of a field in it, is usual for something. */
export function isUsual(column: string): boolean {
  const name = plain(column);
  return Object.values(USUAL_NAMES).some((names) =>
    names.some((usual) => usual === name || usual.startsWith(`${name}.`)),
  );
}

const OPTION_NAMES = [/^([A-J])$/, /^(?:option|choice)[ _]?([a-j]|\d)$/i, /^op([a-d])$/];

/** The label of a column that holds one choice, such as `B` or `option_b`; null for any other column. */
export function optionLabel(column: string): string | null {
  for (const names of OPTION_NAMES) {
    const label = names.exec(column.trim())?.[1];
    if (label !== undefined) return label.toUpperCase();
  }
  return null;
}
