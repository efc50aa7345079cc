/** Values of cells as a text, a conversation or the choices of a question. */
import { uncarriedKey, type ChatMessage } from '@rl-playground/base/conversation';
import { exactJson, isJsonObject, shownJson } from '@rl-playground/base/json';

/** The text of a text, a number or a yes or no, also of one that is alone in a list; null for any other value. */
export function textOf(value: unknown): string | null {
  if (Array.isArray(value)) return value.length === 1 ? textOf(value[0]) : null;
  if (typeof value === 'number' && Number.isNaN(value)) return null;
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : null;
}

/** The roles by the names that they have, those of ShareGPT's included. */
const ROLES: Readonly<Record<string, ChatMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  gpt: 'assistant',
};

type Message = Readonly<Record<string, unknown>>;

/** The list or object that a text is, as a table's cell has it; any other value as it is. */
function structured(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  const json = exactJson(value);
  return 'error' in json ? value : json.value;
}

const isMessage = (value: unknown): value is Message =>
  isJsonObject(value) && ('role' in value || 'from' in value);

/** The messages of a conversation, which are objects with a role (or `from`); null for any other value. */
export function conversationOf(value: unknown): readonly Message[] | null {
  const list = structured(value);
  return Array.isArray(list) && list.length > 0 && list.every(isMessage) ? list : null;
}

/** The text of a message's content, which may be a list of parts. */
function contentOf(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const parts = content.map((part) => (isJsonObject(part) && part['type'] === 'text' ? part['text'] : null));
  return parts.every((part) => typeof part === 'string') ? parts.join('') : null;
}

/** @throws Error with what is wrong with the message, as a bad line says it */
function messageOf(message: Message, place: number): ChatMessage {
  const named = message['role'] ?? message['from'];
  const role = typeof named === 'string' && Object.hasOwn(ROLES, named) ? ROLES[named] : undefined;
  if (role === undefined)
    throw new Error(
      `has the role ${shownJson(named, 40)} in message ${place}, and only system, user and assistant can be asked`,
    );
  const key = uncarriedKey(message);
  if (key !== null)
    throw new Error(`has "${key}" in message ${place}, which a task of your own can’t hand to the model`);
  const content = contentOf(message['content'] ?? message['value']);
  if (content === null)
    throw new Error(
      `has ${shownJson(message['content'], 40)} as content of message ${place}; a text is needed`,
    );
  return { role, content };
}

export interface Turns {
  /** The system messages at the beginning, or null. */
  readonly system: string | null;
  /** The turns between those and the question. */
  readonly earlier: readonly ChatMessage[];
  /** The last turn of the user. */
  readonly question: string;
  /** True if turns follow the question. */
  readonly more: boolean;
}

/** @throws Error with what is wrong, as a bad line says it */
export function turnsOf(messages: readonly Message[]): Turns {
  const last = messages.findLastIndex(({ role, from }) => ROLES[String(role ?? from)] === 'user');
  if (last < 0) throw new Error('has no turn of the user in its messages');
  const turns = messages.slice(0, last + 1).map((message, i) => messageOf(message, i + 1));
  const begin = turns.findIndex(({ role }) => role !== 'system');
  const system = turns.slice(0, begin).map(({ content }) => content);
  return {
    system: system.length === 0 ? null : system.join('\n\n'),
    earlier: turns.slice(begin, -1),
    question: turns.at(-1)?.content ?? '',
    more: last < messages.length - 1,
  };
}

/** The text of the assistant's last message at the end of a conversation; null where another speaks last. */
export function replyOf(messages: readonly Message[]): string | null {
  const last = messages.at(-1);
  const isReply = last !== undefined && ROLES[String(last['role'] ?? last['from'])] === 'assistant';
  return isReply ? contentOf(last['content'] ?? last['value']) : null;
}

export interface Choice {
  /** The label that the row gives it; null where it has none. */
  readonly label: string | null;
  readonly text: string;
}

function pairsOf(labels: readonly unknown[], texts: readonly unknown[]): Choice[] | null {
  const choices = texts.map((text, i) => ({ label: textOf(labels[i]), text: textOf(text) }));
  return choices.every((choice): choice is Choice => choice.text !== null) ? choices : null;
}

/** The choices in a cell: a list of texts, `{"text": […], "label": […]}`, a list of such pairs, or texts by their labels. */
export function choicesOf(cell: unknown): readonly Choice[] | null {
  const value = structured(cell);
  if (Array.isArray(value)) {
    if (!value.every(isJsonObject)) return pairsOf([], value);
    return pairsOf(
      value.map(({ label }) => label),
      value.map(({ text }) => text),
    );
  }
  if (!isJsonObject(value)) return null;
  const { text, label } = value;
  if (Array.isArray(text)) return pairsOf(Array.isArray(label) ? label : [], text);
  return pairsOf(Object.keys(value), Object.values(value));
}

export function letterOf(index: number): string {
  return String.fromCharCode(65 + index);
}

/** The choices as lines `A. …`. Labels that the texts themselves begin with (`A) 21`) are left out. */
export function choiceLines(choices: readonly Choice[]): string {
  const own = choices.every(({ text }, i) => new RegExp(`^\\(?${letterOf(i)}[).:]`).test(text.trim()));
  return choices
    .map(({ text }, i) => {
      const plain = own ? text.trim().replace(/^\(?[A-Z][).:]\s*/, '') : text.trim();
      return `${letterOf(i)}. ${plain}`;
    })
    .join('\n');
}

export interface Place {
  /** The place among the choices, from 0. */
  readonly place: number;
  /** True if the answer is the number of the place. */
  readonly counted: boolean;
}

/**
 * The place of a row's answer among its choices, by its label, its text, its letter or its number, or null. A number of JSON is a number of
 * a place before it is a text. `first` is the number of the first place.
 */
export function placeOf(answer: unknown, choices: readonly Choice[], first: number): Place | null {
  const text = (textOf(answer) ?? '').trim();
  const at = (place: number, counted = false): Place | null =>
    place >= 0 && place < choices.length ? { place, counted } : null;
  const numbered = /^\d{1,3}(?:\.0+)?$/.test(text) ? at(Number(text) - first, true) : null;
  const labelled = at(choices.findIndex(({ label }) => label === text));
  if (labelled !== null) return labelled;
  if (typeof answer !== 'string' && numbered !== null) return numbered;
  const written = at(choices.findIndex((choice) => choice.text.trim() === text));
  if (written !== null) return written;
  const letter = /^\(?([A-Za-z])[).:]?$/.exec(text)?.[1]?.toUpperCase();
  return letter === undefined ? numbered : at(letter.charCodeAt(0) - 65);
}
