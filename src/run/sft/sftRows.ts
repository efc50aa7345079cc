/**
 * Rows that a model is taught from, as JSONL: `{"prompt": …, "completion": …}` or `{"messages": […]}`, the two formats of TRL's
 * SFTTrainer. A prompt is a text (one message of the user) or a list of messages; what is learned is the last message, the assistant's.
 */
import { messageOf } from '@rl-playground/base/errors';
import { isJsonObject, jsonLines, shownJson, type JsonLine } from '@rl-playground/base/json';
import { grouped } from '@rl-playground/base/text';
import { uncarriedKey, type ChatMessage } from '@rl-playground/base/conversation';

export interface SftRow {
  readonly prompt: readonly ChatMessage[];
  /** The text that the model learns to write. */
  readonly completion: string;
}

/** Rows under the name of the file that they came in. */
export interface SftFile {
  readonly name: string;
  readonly rows: readonly SftRow[];
}

/** A text that holds no rows to learn from; the message is written for the user. */
export class SftRowsError extends Error {
  override readonly name = 'SftRowsError';
}

export const SFT_LIMITS = {
  /** Characters of the whole text. */
  text: 16_000_000,
  /** Characters of one line. */
  line: 200_000,
  rows: 50_000,
  /** Messages of one row. */
  messages: 100,
} as const;

/** Bad lines that an error names. */
const MOST_NAMED = 3;
/** Bad lines after which a file is no such file: to read on would take seconds. */
const MOST_BAD = 1000;
const ROLES = ['system', 'user', 'assistant'] as const;

/** A value in words, short enough for a message. */
function found(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'string') return value.trim() === '' ? 'an empty text' : 'a text';
  if (value === null || typeof value === 'boolean') return String(value);
  return typeof value === 'number' ? 'a number' : 'an object';
}

function message(value: unknown, where: string): ChatMessage {
  if (!isJsonObject(value))
    throw new Error(`${where} is ${found(value)}; an object with role and content is needed`);
  const role = ROLES.find((each) => each === value['role']);
  const { content } = value;
  if (role === undefined)
    throw new Error(
      `${where} has the role ${value['role'] === undefined ? 'nothing' : shownJson(value['role'], 40)}; one of ${ROLES.join(', ')} is needed`,
    );
  const key = uncarriedKey(value);
  if (key !== null)
    throw new Error(
      `${where} has "${key}", which the warm-up can’t hand to the model’s template; a text as content is needed: write what the model should say into it, or remove "${key}"`,
    );
  if (typeof content !== 'string')
    throw new Error(`${where} has ${found(content)} as content; a text is needed`);
  return { role, content };
}

function messages(value: readonly unknown[], where: string): ChatMessage[] {
  if (value.length > SFT_LIMITS.messages)
    throw new Error(`"${where}" has ${value.length} messages; at most ${SFT_LIMITS.messages} are allowed`);
  return value.map((each, i) => message(each, `message ${i + 1} of "${where}"`));
}

function checkedPrompt(prompt: readonly ChatMessage[], where: string): readonly ChatMessage[] {
  const last = prompt.at(-1);
  if (last === undefined)
    throw new Error(`"${where}" has no message before the answer; a message of the user is needed`);
  if (last.role === 'assistant')
    throw new Error(
      `"${where}" has the assistant speak right before the answer; a message of the user is needed there`,
    );
  if (prompt.every(({ content }) => content.trim() === ''))
    throw new Error(`"${where}" asks nothing; a text is needed`);
  return prompt;
}

function checkedCompletion(text: string, where: string): string {
  if (text.trim() === '') throw new Error(`${where} is empty; the answer to learn is needed there`);
  return text;
}

function promptOf(value: unknown): readonly ChatMessage[] {
  if (typeof value === 'string') return checkedPrompt([{ role: 'user', content: value }], 'prompt');
  if (Array.isArray(value)) return checkedPrompt(messages(value, 'prompt'), 'prompt');
  throw new Error(`"prompt" is ${found(value)}; a text or a list of messages is needed`);
}

function completionOf(value: unknown): string {
  if (typeof value === 'string') return checkedCompletion(value, '"completion"');
  if (!Array.isArray(value))
    throw new Error(`"completion" is ${found(value)}; a text or a list of one message is needed`);
  const [answer, ...more] = messages(value, 'completion');
  if (answer === undefined || more.length > 0 || answer.role !== 'assistant')
    throw new Error(
      `"completion" is ${found(value)}; a list of exactly one message, the assistant's, is needed`,
    );
  return checkedCompletion(answer.content, '"completion"');
}

function conversation(value: unknown): SftRow {
  if (!Array.isArray(value)) throw new Error(`"messages" is ${found(value)}; a list of messages is needed`);
  const all = messages(value, 'messages');
  const answer = all.at(-1);
  if (answer?.role !== 'assistant')
    throw new Error(
      `"messages" ends with ${answer === undefined ? 'nothing' : `the role ${answer.role}`}; the assistant's answer is needed at the end`,
    );
  return {
    prompt: checkedPrompt(all.slice(0, -1), 'messages'),
    completion: checkedCompletion(answer.content, 'the last message of "messages"'),
  };
}

/** Reads one line. Throws with what was found in it and what is needed. */
function rowOf({ text, json }: JsonLine): SftRow {
  if (text.length > SFT_LIMITS.line)
    throw new Error(
      `it has ${grouped(text.length)} characters; at most ${grouped(SFT_LIMITS.line)} are allowed`,
    );
  if ('error' in json)
    throw new Error(`it is not JSON (${json.error.slice(0, 100)}); one object per line is needed`);
  const { value } = json;
  if (!isJsonObject(value)) throw new Error(`it holds ${found(value)}; an object is needed`);
  const { tools } = value;
  if (Array.isArray(tools) ? tools.length > 0 : tools != null)
    throw new Error(
      'it has "tools", which the warm-up can’t hand to the model’s template; remove it, or the row',
    );
  const pair = 'prompt' in value || 'completion' in value;
  if ('messages' in value && pair)
    throw new Error('it has "messages" beside "prompt" or "completion"; one of the two formats is needed');
  if ('messages' in value) return conversation(value['messages']);
  if (pair) return { prompt: promptOf(value['prompt']), completion: completionOf(value['completion']) };
  const keys = Object.keys(value)
    .slice(0, 6)
    .map((key) => JSON.stringify(key.slice(0, 30)));
  throw new Error(
    `it has ${keys.length === 0 ? 'no keys' : keys.join(', ')}; "prompt" and "completion", or "messages", are needed: rename the keys that hold them`,
  );
}

/**
 * The rows of a JSONL text, in order; empty lines are passed over and other keys ignored. One bad line refuses them all: a model that
 * learned from half a file would not say so.
 * @throws SftRowsError with the first bad lines by number, and what to do.
 */
export function readSftRows(text: string, name: string): SftRow[] {
  if (text.length > SFT_LIMITS.text)
    throw new SftRowsError(
      `${name} has ${grouped(text.length)} characters; at most ${grouped(SFT_LIMITS.text)} are allowed. Keep a part of its lines.`,
    );
  const rows: SftRow[] = [];
  const bad: string[] = [];
  let badCount = 0;
  for (const line of jsonLines(text)) {
    if (badCount === MOST_BAD) break;
    try {
      rows.push(rowOf(line));
    } catch (error) {
      badCount++;
      if (bad.length < MOST_NAMED) bad.push(`Line ${grouped(line.line)}: ${messageOf(error)}.`);
    }
  }
  if (badCount > 0) {
    const all = `${grouped(badCount)} of the ${grouped(rows.length + badCount)} lines`;
    const counted = badCount === MOST_BAD ? `${all} read so far` : all;
    const more = badCount > bad.length ? ` And ${grouped(badCount - bad.length)} more.` : '';
    throw new SftRowsError(
      `${counted} of ${name} can’t be learned from. ${bad.join(' ')}${more} Correct or remove ${badCount === 1 ? 'it' : 'them'} and choose the file again.`,
    );
  }
  if (rows.length === 0)
    throw new SftRowsError(
      `${name} has no rows; at least 1 is needed. Write one JSON object per line: {"prompt": "…", "completion": "…"} or {"messages": […]}.`,
    );
  if (rows.length > SFT_LIMITS.rows)
    throw new SftRowsError(
      `${name} has ${grouped(rows.length)} rows; at most ${grouped(SFT_LIMITS.rows)} are allowed. Keep a part of them.`,
    );
  return rows;
}

/** Rows as JSONL that `readSftRows` and TRL read. */
export function writeSftRows(rows: readonly SftRow[]): string {
  return rows
    .map(({ prompt, completion }) => {
      const answer: ChatMessage = { role: 'assistant', content: completion };
      return `${JSON.stringify({ prompt, completion: [answer] })}\n`;
    })
    .join('');
}
