/** Answers in a given form, JSON with given keys or given tags, which are graded by the form alone. */
import { pick, shuffled, uniformInt } from '@rl-playground/base/random';
import type { ChatMessage } from '@rl-playground/base/conversation';
import { defineTask } from '../define/define.ts';
import { flag, real, subset, whole } from '../define/fields.ts';
import { valueOfJson } from '../python/json.ts';
import { stripSpace } from '../python/text.ts';
import { unfenced } from './formKinds.ts';
import { THINGS } from './requests.ts';
import type { PythonValue } from '../python/value.ts';

/** The keys that an answer may be asked for, each with a value of an answer that is right. */
const VALUES = {
  name: 'it has none',
  colour: 'grey',
  size: 'large',
  shape: 'round',
  weight: 'heavy',
  age: 'old',
  place: 'outdoors',
  use: 'it pleases people',
  smell: 'fresh',
  sound: 'quiet',
} as const;
type Key = keyof typeof VALUES;
const KEYS = Object.keys(VALUES) as readonly Key[];

type Form = 'json' | 'tags';

interface Data {
  readonly form: Form;
  readonly keys: readonly Key[];
  readonly few_shot: boolean;
}

/** The parts of the form that an answer has. */
interface Found {
  /** True if it is a JSON object, or has each tag in its place and nothing else. */
  readonly format: boolean;
  /** The number of keys or tags with a value. */
  readonly filled: number;
  /** The fault in words, or null. */
  readonly fault: string | null;
}

const says = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** True for a value that says something: null, an empty list and a text of dots do not. */
function isFilled(value: PythonValue | undefined): boolean {
  if (typeof value === 'string') return says(value);
  if (value === null || value === undefined) return false;
  if (typeof value !== 'object') return true;
  return value.kind === 'dict' ? value.entries.length > 0 : value.items.length > 0;
}

/** The object that a text is, if it is JSON. */
function objectOf(text: string): ReadonlyMap<PythonValue, PythonValue> | null {
  try {
    const value = valueOfJson(text);
    return value !== null && typeof value === 'object' && value.kind === 'dict'
      ? new Map(value.entries)
      : null;
  } catch {
    return null;
  }
}

/** The text from the first brace to the one that closes it; empty if there is none. */
function firstBraces(text: string): string {
  const start = text.indexOf('{');
  let [depth, quoted] = [0, false];
  for (let at = start; at >= 0 && at < text.length; at++) {
    const character = text.charAt(at);
    if (quoted && character === '\\') at++;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === '{') depth++;
    else if (!quoted && character === '}' && --depth === 0) return text.slice(start, at + 1);
  }
  return '';
}

function inJson(text: string, keys: readonly Key[]): Found {
  const whole = objectOf(unfenced(text));
  const object = whole ?? objectOf(firstBraces(text));
  if (object === null) return { format: false, filled: 0, fault: 'found no JSON object' };
  const empty = keys.filter((key) => !isFilled(object.get(key)));
  const other = [...object.keys()].some((key) => !keys.includes(key as Key));
  const faults = [
    ...(whole === null ? ['found text around the JSON object'] : []),
    ...(empty.length > 0 ? [`found no value for ${empty.join(', ')}`] : []),
    ...(other ? [`found other keys than ${keys.join(', ')}`] : []),
  ];
  return { format: whole !== null, filled: keys.length - empty.length, fault: faults.join('; ') || null };
}

/** The text between a tag and its end; null where a text has not exactly one of each. */
function tagged(text: string, key: Key): string | null {
  const [, inner, ...more] = text.split(`<${key}>`);
  const parts = inner?.split(`</${key}>`);
  return more.length === 0 && parts?.length === 2 ? (parts[0] ?? '') : null;
}

function inTags(text: string, keys: readonly Key[]): Found {
  const values = keys.map((key) => tagged(text, key));
  const whole = keys.map((key, i) => `<${key}>${values[i]}</${key}>`).join('');
  // Whitespace may stand between the tags; inside them it is part of the value.
  const format =
    stripSpace(text).replaceAll(/(<\/\w+>)\s+/g, '$1') === whole.replaceAll(/(<\/\w+>)\s+/g, '$1');
  const empty = keys.filter((_, i) => !says(values[i] ?? ''));
  const fault =
    empty.length > 0
      ? `found no text in ${empty.map((key) => `<${key}>`).join(' ')}`
      : format
        ? null
        : 'found text around the tags, or tags in another order';
  return { format, filled: keys.length - empty.length, fault };
}

function listed(keys: readonly Key[]): string {
  return keys.length === 1 ? `key ${keys[0]}` : `keys ${keys.slice(0, -1).join(', ')} and ${keys.at(-1)}`;
}

const REQUEST: Readonly<Record<Form, (keys: readonly Key[]) => string>> = {
  json: (keys) => `Answer only with a JSON object that has the ${listed(keys)}, each with a short value.`,
  tags: (keys) =>
    `Answer only in this form, with a few words in place of the dots: ${keys.map((key) => `<${key}>...</${key}>`).join(' ')}`,
};

const RIGHT: Readonly<Record<Form, (keys: readonly Key[]) => string>> = {
  json: (keys) => JSON.stringify(Object.fromEntries(keys.map((key) => [key, VALUES[key]]))),
  tags: (keys) => keys.map((key) => `<${key}>${VALUES[key]}</${key}>`).join(' '),
};

const asked = (thing: string, form: Form, keys: readonly Key[]): string =>
  `Describe ${thing}. ${REQUEST[form](keys)}`;

/** Answered requests about things that no problem asks for. */
const EXAMPLES: readonly (readonly [thing: string, keys: readonly Key[]])[] = [
  ['a garden bench', ['place', 'shape']],
  ['a stone statue', ['weight']],
];

const examplesOf = (form: Form): ChatMessage[] =>
  EXAMPLES.flatMap(([thing, keys]) => [
    { role: 'user', content: asked(thing, form, keys) },
    { role: 'assistant', content: RIGHT[form](keys) },
  ]);

export const formatFollow = defineTask({
  name: 'format_follow',
  title: 'Answer in a form',
  summary: 'Describe a thing in JSON with given keys, or between given tags, and write nothing else.',
  source: 'RL Playground',
  family: 'instruct',
  fields: {
    forms: subset('Forms', 'What an answer may be asked in.', { json: 'JSON', tags: 'Tags' }, ['json']),
    min_keys: whole('Fewest keys', 'Keys or tags of the shortest answers.', 1, KEYS.length, 1),
    max_keys: whole('Most keys', 'Keys or tags of the longest answers.', 1, KEYS.length, 2),
    partial: real(
      'Pay for a part',
      'What a wrong answer earns: this times the share of the keys or tags that have a value.',
      0,
      1,
      0.5,
    ),
    few_shot: flag(
      'Worked examples',
      'Whether two answered requests come before the question. A base model, which follows no instructions, needs them.',
      false,
    ),
  },
  levels: [
    {},
    { forms: ['json', 'tags'], min_keys: 2, max_keys: 3 },
    { forms: ['json', 'tags'], min_keys: 4, max_keys: 5 },
    { forms: ['json', 'tags'], min_keys: 6, max_keys: 8 },
  ],
  draw(draw, { forms, min_keys, max_keys, few_shot }) {
    const thing = pick(draw, THINGS);
    const form = pick(draw, forms);
    const keys = shuffled(draw, KEYS).slice(0, uniformInt(draw, min_keys, max_keys));
    const data: Data = { form, keys, few_shot };
    return {
      question: asked(thing, form, keys),
      key: thing,
      answer: RIGHT[form](keys),
      data,
    };
  },
  messages: ({ question, data: { form, few_shot } }) => [
    ...(few_shot ? examplesOf(form) : []),
    { role: 'user', content: question },
  ],
  score({ data: { form, keys } }, { text }, { config }) {
    const { format, filled, fault } = (form === 'json' ? inJson : inTags)(text, keys);
    const correct = fault === null;
    const parts = {
      correct: Number(correct),
      partial: correct ? 0 : (config.partial * filled) / keys.length,
    };
    return {
      total: parts.correct + parts.partial,
      parts,
      correct,
      format,
      reason: correct ? 'Right.' : `Wrong: ${fault}.`,
      extracted: stripSpace(text) || null,
    };
  },
  workedAnswer: ({ answer }) => answer,
  demonstration: ({ answer }) => answer,
});
