/** Columns of questions and answers that a person names, as in `question=problem,answer=solution`. */
import { columnsError, guessColumn, type Columns } from './readRows.ts';

/** Names of columns, as a person gave them; those that are absent are told by their usual names. */
export interface ColumnNames {
  readonly question?: string;
  readonly answer?: string;
  readonly system?: string;
}

const KINDS = ['question', 'answer', 'system'] as const;

/** Reads `question=problem,answer=solution,system=instructions`, any of them. @throws Error that shows the form. */
export function parseColumnNames(text: string): ColumnNames {
  const names: Partial<Record<(typeof KINDS)[number], string>> = {};
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    const [key, name] = [part.slice(0, Math.max(0, at)).trim(), part.slice(at + 1).trim()];
    const kind = KINDS.find((each) => each === key);
    if (kind === undefined || name === '')
      throw new Error(
        `"${part}" names no column. Write question=COLUMN,answer=COLUMN, with system=COLUMN where rows bring their own system prompt.`,
      );
    names[kind] = name;
  }
  return names;
}

/** The columns of those names. @throws Error that lists the columns there are. */
export function columnsOf(columns: readonly string[], names: ColumnNames): Columns {
  const named = (kind: keyof ColumnNames): number | null => {
    const name = names[kind];
    if (name === undefined) return null;
    const index = columns.indexOf(name);
    if (index >= 0) return index;
    const found = columns.map((each) => JSON.stringify(each.slice(0, 40))).slice(0, 30);
    throw new Error(`There is no column "${name}" for the ${kind}. The columns are ${found.join(', ')}.`);
  };
  const question = named('question') ?? guessColumn(columns, 'question');
  const answer = named('answer') ?? guessColumn(columns, 'answer');
  const system = named('system');
  if (question === null || answer === null) throw new Error(columnsError(columns));
  return { question, answer, ...(system !== null && { system }) };
}
