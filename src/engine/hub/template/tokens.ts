/**
 * The tokens of a template, as Jinja2 3.1 cuts them with `trim_blocks` and `lstrip_blocks`: white space before a tag on its own line and
 * the line's end behind a tag are no part of the text.
 */
import { SHORT_ESCAPES, WHITE_SPACE } from '@rl-playground/base/pythonText';
import { escapedByNumber } from './printing.ts';
import { stripped } from './textParts.ts';
import { TemplateError } from './values.ts';

export type TokenType =
  | 'data'
  | 'variable_begin'
  | 'variable_end'
  | 'block_begin'
  | 'block_end'
  | 'name'
  | 'string'
  | 'integer'
  | 'float'
  | 'operator'
  | 'eof';

export interface Token {
  readonly type: TokenType;
  /** The text of a name, an operator or data; the value of a string or a number. */
  readonly value: string | bigint | number;
  readonly line: number;
}

/** A template that can't be read. */
export class TemplateSyntaxError extends TemplateError {
  constructor(message: string, line: number) {
    super(`${message} (line ${line})`);
  }
}

const SPACE = `[${WHITE_SPACE}]`;
const OPENING = /\{[{%#]/g;
const RAW = new RegExp(`\\{%[-+]?${SPACE}*raw${SPACE}*(?:-%\\}${SPACE}*|%\\})`, 'y');
const END_OF_RAW = new RegExp(`\\{%([-+]?)${SPACE}*endraw${SPACE}*(?:\\+%\\}|-%\\}${SPACE}*|%\\}\\n?)`, 'g');
const END_OF_COMMENT = new RegExp(`\\+#\\}|-#\\}${SPACE}*|#\\}\\n?`, 'g');
const END_OF_BLOCK = new RegExp(`\\+%\\}|-%\\}${SPACE}*|%\\}\\n?`, 'y');
const END_OF_VARIABLE = new RegExp(`-\\}\\}${SPACE}*|\\}\\}`, 'y');

const SPACES = new RegExp(`${SPACE}+`, 'y');
const FLOAT = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy;
const INTEGER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy;
const NAME = /[\p{L}\p{N}\p{XIDC}_]+/uy;
const IDENTIFIER = /^[\p{XIDS}_]\p{XIDC}*$/u;
const STRING = /'[^'\\]*(?:\\[\s\S][^'\\]*)*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y;

const CLOSED_BY: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' };

/** The text of a literal without its escapes. Python leaves unknown ones as they are. */
function unescaped(text: string, line: number): string {
  const escape = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([xuUN])|([\s\S]))/gu;
  return text.replace(escape, (whole, two, four, eight, octal, broken, one) => {
    const codes = [two, four, eight] as (string | undefined)[];
    const hex = codes.find((code) => code !== undefined);
    if (hex !== undefined) {
      const code = parseInt(hex, 16);
      if (code > 0x10ffff) throw new TemplateSyntaxError('illegal Unicode character', line);
      return String.fromCodePoint(code);
    }
    if (typeof octal === 'string') return String.fromCharCode(parseInt(octal, 8));
    if (broken === 'N')
      throw new TemplateSyntaxError('characters by their names (\\N) are not known here', line);
    if (broken !== undefined) throw new TemplateSyntaxError(`truncated \\${String(broken)} escape`, line);
    // Python writes such a character as an escape before it reads the escapes.
    if (/\P{ASCII}/u.test(String(one))) return escapedByNumber(String(one));
    return SHORT_ESCAPES[String(one)] ?? whole;
  });
}

export class Tokens {
  readonly #source: string;
  readonly #all: Token[] = [];
  readonly #open: string[] = [];
  #at = 0;
  #line = 1;
  #lineStart = true;

  private constructor(source: string) {
    this.#source = source.replaceAll(/\r\n?/g, '\n').replace(/\n$/, '');
  }

  /** @throws TemplateSyntaxError if the text holds what is no token. */
  static of(source: string): readonly Token[] {
    const tokens = new Tokens(source);
    while (tokens.#at < tokens.#source.length) tokens.#textAndTag();
    tokens.#add('eof', '');
    return tokens.#all;
  }

  #add(type: TokenType, value: Token['value']): void {
    this.#all.push({ type, value, line: this.#line });
  }

  #fail(message: string): never {
    throw new TemplateSyntaxError(message, this.#line);
  }

  /** The match of a pattern at this place, which is passed. */
  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match !== null) this.#pass(match.index + match[0].length);
    return match;
  }

  #pass(to: number): void {
    for (let i = this.#at; i < to; i++) if (this.#source[i] === '\n') this.#line++;
    if (to > this.#at) this.#lineStart = this.#source[to - 1] === '\n';
    this.#at = to;
  }

  /** Adds the text before a tag, without what the tag's sign removes. */
  #addText(text: string, sign: string, isTag: boolean): void {
    let kept = text;
    if (sign === '-') kept = stripped(text, WHITE_SPACE, 'end');
    else if (sign !== '+' && isTag) {
      const from = text.lastIndexOf('\n') + 1;
      if ((from > 0 || this.#lineStart) && stripped(text.slice(from)) === '') kept = text.slice(0, from);
    }
    if (kept !== '') this.#add('data', kept);
  }

  #textAndTag(): void {
    OPENING.lastIndex = this.#at;
    const opening = OPENING.exec(this.#source);
    if (opening === null) {
      this.#add('data', this.#source.slice(this.#at));
      this.#at = this.#source.length;
      return;
    }
    const { index } = opening;
    const kind = opening[0];
    const text = this.#source.slice(this.#at, index);
    const after = this.#source.charAt(index + 2);
    const sign = after === '-' || after === '+' ? after : '';
    this.#addText(text, sign, kind !== '{{');
    this.#pass(index);
    if (this.#take(RAW) !== null) {
      this.#raw();
      return;
    }
    this.#pass(index + 2 + sign.length);
    if (kind === '{#') {
      if (this.#take(END_OF_COMMENT) === null) this.#endless('Missing end of comment tag');
    } else if (kind === '{%') this.#tag('block_begin', 'block_end', END_OF_BLOCK);
    else this.#tag('variable_begin', 'variable_end', END_OF_VARIABLE);
  }

  /** Refuses a tag without an end. Jinja2 lets it pass where nothing follows its beginning. */
  #endless(message: string): void {
    if (this.#at < this.#source.length) this.#fail(message);
  }

  #raw(): void {
    END_OF_RAW.lastIndex = this.#at;
    const end = END_OF_RAW.exec(this.#source);
    if (end === null) return this.#endless('Missing end of raw directive');
    this.#addText(this.#source.slice(this.#at, end.index), end[1] ?? '', true);
    this.#pass(end.index + end[0].length);
  }

  #tag(begin: TokenType, end: TokenType, closing: RegExp): void {
    this.#add(begin, '');
    for (;;) {
      if (this.#open.length === 0) {
        const line = this.#line;
        if (this.#take(closing) !== null) {
          this.#all.push({ type: end, value: '', line });
          return;
        }
      }
      // A tag without end is for the parser to report.
      if (this.#at >= this.#source.length) return;
      this.#token();
    }
  }

  #token(): void {
    if (this.#take(SPACES) !== null) return;
    const float = this.#take(FLOAT)?.[0];
    if (float !== undefined) return this.#add('float', Number(float.replaceAll('_', '')));
    const integer = this.#take(INTEGER)?.[0];
    if (integer !== undefined) return this.#add('integer', BigInt(integer.replaceAll('_', '')));
    const name = this.#take(NAME)?.[0];
    if (name !== undefined)
      return IDENTIFIER.test(name) ? this.#add('name', name) : this.#fail('Invalid character in identifier');
    const line = this.#line;
    const string = this.#take(STRING)?.[0];
    if (string !== undefined) {
      this.#all.push({ type: 'string', value: unescaped(string.slice(1, -1), line), line });
      return;
    }
    const operator = this.#take(OPERATOR)?.[0];
    if (operator === undefined)
      return this.#fail(`unexpected char '${this.#source.charAt(this.#at)}' at ${this.#at}`);
    this.#balance(operator);
    this.#add('operator', operator);
  }

  #balance(operator: string): void {
    const closing = CLOSED_BY[operator];
    if (closing !== undefined) this.#open.push(closing);
    else if (')]}'.includes(operator)) {
      const expected = this.#open.pop();
      if (expected === undefined) this.#fail(`unexpected '${operator}'`);
      if (expected !== operator) this.#fail(`unexpected '${operator}', expected '${expected ?? ''}'`);
    }
  }
}
