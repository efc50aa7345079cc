/** Questions and answers out of a table, whatever form the field gives them: columns of text, conversations, choices. */
import type { ChatMessage } from '@rl-playground/base/conversation';
import { messageOf } from '@rl-playground/base/errors';
import { plural } from '@rl-playground/base/text';
import { MOST_TEXT, MOST_TURNS, type CustomRow } from '../define/definition.ts';
import {
  choiceLines,
  choicesOf,
  conversationOf,
  letterOf,
  placeOf,
  replyOf,
  textOf,
  turnsOf,
  type Choice,
  type Turns,
} from './cells.ts';
import { usedColumns, type Columns } from './columns.ts';
import { optionLabel } from './usualNames.ts';
import { refuseRows, type BadLine, type Table, type TableRecord } from './readTable.ts';

/** The letters of the alphabet. */
const MOST_CHOICES = 26;
/** The most unused columns that are named. */
const MOST_UNUSED = 12;

export interface ReadRows {
  readonly rows: CustomRow[];
  /** Rows left out, by line of the text. */
  readonly bad: readonly BadLine[];
  /** The sentences that say which columns the questions and the answers were taken from, and which are not used. */
  readonly taken: string;
  /** The sentences that say what is asked along with the questions, such as system messages; empty for nothing. */
  readonly along: string;
  /** The largest number of choices that a question has; 0 if the questions have none. */
  readonly choices: number;
}

/** Counts of what was found in rows, which decide the sentences. */
interface Found {
  conversations: number;
  systems: number;
  earlier: number;
  more: number;
  replies: number;
  firsts: number;
  counted: number;
  choices: number;
}

function valueError(what: string, value: string | null): string | null {
  if (value === null) return `has no ${what} that is text or a number`;
  if (value.trim() === '') return `has an empty ${what}`;
  return value.length > MOST_TEXT
    ? `has a ${what} of ${value.length.toLocaleString('en')} characters; at most ${MOST_TEXT.toLocaleString('en')} are allowed`
    : null;
}

/** The text of a value. @throws Error with what is wrong, as a bad line says it */
function textIn(what: string, value: unknown): string {
  const text = textOf(value);
  const error = valueError(what, text);
  if (text === null || error !== null) throw new Error(error ?? '');
  return text.trim();
}

/** The text that goes with a question, or none where the cell is empty. */
function besideOf(record: TableRecord, column: number | undefined, name: string): string[] {
  const value = column === undefined ? null : record.value(column);
  if (value === null || value === undefined || textOf(value)?.trim() === '') return [];
  return [textIn(`text in “${name}”`, value)];
}

/** The choices of a row; null where its question has none. @throws Error as a bad line says it */
function rowChoices(
  record: TableRecord,
  columns: readonly string[],
  places: readonly number[],
): Choice[] | null {
  const [only] = places;
  if (only === undefined) return null;
  const found =
    places.length === 1
      ? choicesOf(record.value(only))
      : places.flatMap((place) => {
          const text = textOf(record.value(place));
          return text === null || text.trim() === ''
            ? []
            : [{ label: optionLabel(columns[place] ?? ''), text }];
        });
  if (found === null) throw new Error(`has no list of choices in “${columns[only] ?? ''}”`);
  if (found.length < 2 || found.length > MOST_CHOICES)
    throw new Error(`has ${plural(found.length, 'choice')}; 2 to ${MOST_CHOICES} are needed`);
  return [...found];
}

/** True if rows count the choices from 1: the last is named by their number, and none by 0. */
function countsFromOne({ columns, records }: Table, { answer, choices = [] }: Columns): boolean {
  let last = false;
  for (const record of records) {
    const value = record.value(answer);
    const number = textOf(value);
    if (number === null || !/^\d{1,2}$/.test(number)) continue;
    if (Number(number) === 0) return false;
    try {
      const found = rowChoices(record, columns, choices) ?? [];
      last ||= found.length === Number(number) && placeOf(value, found, 1)?.counted === true;
    } catch {
      // The row is named when it is read.
    }
  }
  return last;
}

/** Makes rows of a table's records, one after the other, and remembers what it found. */
class RowMaker {
  readonly found: Found = {
    conversations: 0,
    systems: 0,
    earlier: 0,
    more: 0,
    replies: 0,
    firsts: 0,
    counted: 0,
    choices: 0,
  };
  readonly #table: Table;
  readonly #columns: Columns;
  /** The number by which rows name their first choice. */
  readonly first: number;

  constructor(table: Table, columns: Columns) {
    this.#table = table;
    this.#columns = columns;
    this.first = columns.choices !== undefined && countsFromOne(table, columns) ? 1 : 0;
  }

  #name(column: number | undefined): string {
    return this.#table.columns[column ?? -1] ?? '';
  }

  #answer(record: TableRecord): string {
    const { question, answer } = this.#columns;
    const value = record.value(answer);
    const conversation = conversationOf(value);
    if (conversation !== null) {
      const reply = replyOf(conversation);
      if (reply === null) throw new Error('has no answer of the assistant at the end of its messages');
      this.found.replies++;
      return textIn('answer', reply);
    }
    if (question === answer) throw new Error('has no list of messages');
    const several = Array.isArray(value) && value.length > 1;
    if (several && /^answers(\.text)?$/i.test(this.#name(answer))) {
      this.found.firsts++;
      return textIn('answer', value[0]);
    }
    if (several)
      throw new Error(`has a list of ${value.length} values as answer; one text or number is needed`);
    return textIn('answer', value);
  }

  /** The letter of the right choice. */
  #letter(record: TableRecord, choices: readonly Choice[]): string {
    const value = record.value(this.#columns.answer);
    const found = placeOf(value, choices, this.first);
    if (found?.counted === true) this.found.counted++;
    if (found !== null) return letterOf(found.place);
    const answer = textIn('answer', value).slice(0, 40);
    throw new Error(
      `has the answer ${JSON.stringify(answer)}, which is neither a label, a text, a letter nor a place of its ${choices.length} choices`,
    );
  }

  #turns(record: TableRecord): Turns {
    const value = record.value(this.#columns.question);
    const conversation = conversationOf(value);
    if (conversation === null)
      return { system: null, earlier: [], question: textIn('question', value), more: false };
    this.found.conversations++;
    const turns = turnsOf(conversation);
    textIn('question', turns.question);
    if (turns.earlier.length > MOST_TURNS)
      throw new Error(`has ${turns.earlier.length} earlier turns; at most ${MOST_TURNS} are allowed`);
    for (const { content } of turns.earlier)
      if (content.length > MOST_TEXT) throw new Error(valueError('turn', content) ?? '');
    return turns;
  }

  /** @throws Error with what is wrong, as a bad line says it */
  row(record: TableRecord): CustomRow {
    const { columns } = this.#table;
    const { answer, question, system, context, input, choices: places = [] } = this.#columns;
    const turns = this.#turns(record);
    const choices = rowChoices(record, columns, places);
    const parts = [
      ...besideOf(record, context, this.#name(context)),
      turns.question.trim(),
      ...besideOf(record, input, this.#name(input)),
      ...(choices === null ? [] : [choiceLines(choices)]),
    ];
    const asked = textIn('question', parts.join('\n\n'));
    const answered = choices === null ? this.#answer(record) : this.#letter(record, choices);
    const prompt = (system === undefined ? null : textOf(record.value(system))) ?? turns.system;
    this.found.choices = Math.max(this.found.choices, choices?.length ?? 0);
    if (turns.system !== null) this.found.systems++;
    if (turns.earlier.length > 0) this.found.earlier++;
    if (turns.more && question !== answer) this.found.more++;
    const earlier: readonly ChatMessage[] = turns.earlier;
    return {
      question: asked,
      answer: answered,
      ...(prompt !== null && { system: prompt.slice(0, MOST_TEXT) }),
      ...(earlier.length > 0 && { earlier: [...earlier] }),
      ...(record.test && { test: true as const }),
    };
  }

  /** Says where the questions and the answers come from. */
  taken(): string {
    const { question, answer, context, input, choices } = this.#columns;
    const { found } = this;
    const nameOf = (column: number): string => `“${this.#name(column)}”`;
    const asked =
      found.conversations > 0 ? `the last turn of the user in ${nameOf(question)}` : nameOf(question);
    const parts = [
      context === undefined ? '' : ` with ${nameOf(context)} above it`,
      input === undefined ? '' : ` with ${nameOf(input)} below it`,
      choices === undefined
        ? ''
        : ` with the choices in ${choices.map(nameOf).join(', ')} below it by their letters`,
    ].filter((part) => part !== '');
    const reply = found.replies > 0 ? 'the last turn of the assistant in ' : '';
    const answered =
      choices === undefined
        ? `the answer from ${reply}${nameOf(answer)}`
        : `the answer’s letter from ${nameOf(answer)}${found.counted > 0 ? `, where numbers count from ${this.first}` : ''}`;
    const unused = this.#table.columns.filter((_, index) => !this.#isUsed(index)).slice(0, MOST_UNUSED);
    return [
      `the question from ${asked}${parts.join(' and')}, ${answered}.`,
      found.more > 0 ? `In ${plural(found.more, 'row')} the turns behind the question are left out.` : '',
      found.firsts > 0 ? `Of several answers the first is taken, in ${plural(found.firsts, 'row')}.` : '',
      unused.length > 0 ? `Not used: ${unused.map((name) => `“${name}”`).join(', ')}.` : '',
    ]
      .filter((sentence) => sentence !== '')
      .join(' ');
  }

  /** Says what is asked along with the questions. */
  along(): string {
    const { found } = this;
    const { system } = this.#columns;
    return [
      system === undefined ? '' : `The system prompt is that of “${this.#name(system)}”.`,
      system === undefined && found.systems > 0
        ? `The system message of ${plural(found.systems, 'row')} takes the place of the task’s system prompt.`
        : '',
      found.earlier > 0 ? `The earlier turns of ${plural(found.earlier, 'row')} are asked along.` : '',
    ]
      .filter((sentence) => sentence !== '')
      .join(' ');
  }

  /** True for a used column, and for one of which a field is used. Fields count with their column. */
  #isUsed(column: number): boolean {
    const name = this.#name(column);
    const isField = this.#table.columns.some((other) => name.startsWith(`${other}.`));
    const used = usedColumns(this.#columns);
    return isField || used.some((each) => each === column || this.#name(each).startsWith(`${name}.`));
  }
}

/** The rows of a table by its columns, and the lines that give none. Throws where there are more than `MOST_ROWS`. */
export function readRows(table: Table, columns: Columns): ReadRows {
  refuseRows(table.records.length);
  const rows: CustomRow[] = [];
  const bad: BadLine[] = [...table.bad];
  const maker = new RowMaker(table, columns);
  for (const record of table.records)
    try {
      rows.push(maker.row(record));
    } catch (error) {
      bad.push({ line: record.line, message: messageOf(error) });
    }
  const { choices } = maker.found;
  const sentences = { taken: maker.taken(), along: maker.along() };
  return { rows, bad: bad.toSorted((a, b) => a.line - b.line), ...sentences, choices };
}
