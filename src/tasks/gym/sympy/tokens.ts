/** The words of a Python expression, as Python's tokenizer cuts them, with SymPy's `!` for factorials. */
import { skipSpace } from '../../python/text.ts';
import { ValueError } from './value.ts';

export interface Token {
  readonly kind: 'number' | 'name' | 'text' | 'sign' | 'end';
  readonly text: string;
}

/** The limits of an expression; Python itself refuses much longer ones. */
const MOST_TOKENS = 600;
const MOST_CHARACTERS = 20_000;

const DIGITS = '[0-9](?:_?[0-9])*';
const EXPONENT = `[eE][-+]?${DIGITS}`;
const FLOAT = `(?:${DIGITS}\\.(?:${DIGITS})?|\\.${DIGITS})(?:${EXPONENT})?|${DIGITS}${EXPONENT}`;
const NUMBER = new RegExp(
  `(?:${FLOAT}|${DIGITS})[jJ]|${FLOAT}|0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0(?:_?0)*|[1-9](?:_?[0-9])*`,
  'y',
);
const NAME = /[\p{L}\p{N}_]+/uy;
const TEXT = /'[^'\\\r\n]*'|"[^"\\\r\n]*"/y;
const SIGN = /\*\*|\/\/|<<|>>|<=|>=|==|!=|[-+*/%@&|^~<>()[\]{},.!]/y;
/** SymPy writes the words out again without blanks between signs, so that `* *` is read as `**`. */
const JOINED: ReadonlySet<string> = new Set(['**', '//', '<<', '>>', '<=', '>=']);
const BLANK = /[ \t\f]+|#[^\r\n]*|\\\r?\n/y;
const LINE_END = /\r?\n/y;

function match(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** Cuts a text into words. Throws a ValueError if Python's tokenizer or grammar would refuse it. */
export function tokenize(text: string): Token[] {
  if (text.length > MOST_CHARACTERS)
    throw new ValueError(
      `${text.length} characters are too long for an expression; at most ${MOST_CHARACTERS}.`,
    );
  const tokens: Token[] = [];
  let depth = 0;
  for (let at = skipSpace(text, 0); at < text.length;) {
    const blank = match(BLANK, text, at) ?? (depth > 0 ? match(LINE_END, text, at) : null);
    if (blank !== null) {
      at += blank.length;
      if (text.charAt(at) === '!' && text.charAt(at + 1) !== '=') throw new ValueError('A blank before "!".');
      continue;
    }
    const [kind, word] = nextWord(text, at);
    if (kind === 'sign' && '([{'.includes(word)) depth++;
    if (kind === 'sign' && ')]}'.includes(word)) depth--;
    const before = tokens.at(-1);
    if (before?.kind === 'sign' && kind === 'sign' && JOINED.has(before.text + word)) {
      tokens[tokens.length - 1] = { kind, text: before.text + word };
      at += word.length;
      continue;
    }
    tokens.push({ kind, text: word });
    if (tokens.length > MOST_TOKENS)
      throw new ValueError(`The expression has more than ${MOST_TOKENS} words; shorten it.`);
    at += word.length;
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}

function nextWord(text: string, at: number): ['number' | 'name' | 'text' | 'sign', string] {
  const number = match(NUMBER, text, at);
  if (number !== null) return ['number', number];
  const name = match(NAME, text, at);
  if (name !== null) return ['name', name];
  const quoted = match(TEXT, text, at);
  if (quoted !== null) return ['text', quoted];
  const sign = match(SIGN, text, at);
  if (sign !== null) return ['sign', sign];
  throw new ValueError(`${JSON.stringify(text.charAt(at))} is no part of an expression.`);
}
