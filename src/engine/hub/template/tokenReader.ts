/** Goes through the tokens of a template one by one. */
import { TemplateSyntaxError, Tokens, type Token, type TokenType } from './tokens.ts';

/** The name of a token in messages. */
export function described({ type, value }: Token): string {
  if (type === 'name' || type === 'operator') return `${value}`;
  const names: Partial<Record<TokenType, string>> = {
    data: 'template data / text',
    variable_begin: 'begin of print statement',
    variable_end: 'end of print statement',
    block_begin: 'begin of statement block',
    block_end: 'end of statement block',
    eof: 'end of template',
  };
  return names[type] ?? type;
}

export class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(source: string) {
    this.#tokens = Tokens.of(source);
  }

  protected get current(): Token {
    return this.#tokens[this.#at] ?? { type: 'eof', value: '', line: 0 };
  }

  protected get following(): Token {
    return this.#tokens[this.#at + 1] ?? { type: 'eof', value: '', line: 0 };
  }

  protected next(): Token {
    const token = this.current;
    if (token.type !== 'eof') this.#at++;
    return token;
  }

  protected fail(message: string, line = this.current.line): never {
    throw new TemplateSyntaxError(message, line);
  }

  protected is(type: TokenType, ...values: readonly string[]): boolean {
    const { current } = this;
    return current.type === type && (values.length === 0 || values.includes(`${current.value}`));
  }

  protected skipIf(type: TokenType, value: string): boolean {
    const found = this.is(type, value);
    if (found) this.#at++;
    return found;
  }

  protected expect(type: TokenType, value?: string): Token {
    if (this.is(type, ...(value === undefined ? [] : [value]))) return this.next();
    const expected = value ?? described({ type, value: type, line: 0 });
    if (this.current.type === 'eof') this.fail(`unexpected end of template, expected '${expected}'.`);
    return this.fail(`expected token '${expected}', got '${described(this.current)}'`);
  }

  protected expectName(): string {
    return `${this.expect('name').value}`;
  }
}
