/** Reads the expressions of templates, with the precedence of Jinja2. */
import type {
  Arguments,
  BinarySign,
  Comparison,
  Expression,
  FilterNode,
  Keyword,
  NamespaceAttribute,
} from './nodes.ts';
import { FILTER_NAMES, TEST_NAMES } from './names.ts';
import { described, TokenReader } from './tokenReader.ts';

const COMPARISONS: readonly unknown[] = ['==', '!=', '<', '<=', '>', '>='];
const CONSTANTS: ReadonlyMap<unknown, null | boolean> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);

/** A filter or test that doesn't exist. It is an error at once, but within a condition only when it is reached. */
interface Unknown {
  readonly message: string;
  readonly line: number;
  conditional: boolean;
}

export class ExpressionParser extends TokenReader {
  readonly #unknown: Unknown[] = [];
  /** True directly inside an `if`, where an unknown filter is no error before it is reached. */
  protected conditional = false;

  /** @throws TemplateSyntaxError if a filter or test is unknown outside of conditions. */
  protected checkNames(): void {
    const found = this.#unknown.find(({ conditional }) => !conditional);
    if (found) this.fail(found.message, found.line);
  }

  #checkName(kind: 'filter' | 'test', name: string, line: number): void {
    if ((kind === 'filter' ? FILTER_NAMES : TEST_NAMES).has(name)) return;
    this.#unknown.push({ message: `No ${kind} named '${name}'.`, line, conditional: this.conditional });
  }

  protected expression(withCondition = true): Expression {
    return withCondition ? this.#condition() : this.#or();
  }

  #condition(): Expression {
    const unknown = this.#unknown.length;
    const { line } = this.current;
    let yes = this.#or();
    while (this.skipIf('name', 'if')) {
      const test = this.#or();
      const no = this.skipIf('name', 'else') ? this.#condition() : null;
      yes = { type: 'condition', test, yes, no, line };
      for (const each of this.#unknown.slice(unknown)) each.conditional = true;
    }
    return yes;
  }

  #or(): Expression {
    let left = this.#and();
    while (this.skipIf('name', 'or')) left = { type: 'or', left, right: this.#and() };
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.skipIf('name', 'and')) left = { type: 'and', left, right: this.#not() };
    return left;
  }

  #not(): Expression {
    return this.skipIf('name', 'not') ? { type: 'not', of: this.#not() } : this.#comparison();
  }

  #comparison(): Expression {
    const first = this.#sum();
    const rest: { readonly sign: Comparison; readonly of: Expression }[] = [];
    for (;;) {
      const { type, value } = this.current;
      if (type === 'operator' && COMPARISONS.includes(value)) {
        this.next();
        rest.push({ sign: value as Comparison, of: this.#sum() });
      } else if (this.skipIf('name', 'in')) rest.push({ sign: 'in', of: this.#sum() });
      else if (this.is('name', 'not') && this.following.type === 'name' && this.following.value === 'in') {
        this.next();
        this.next();
        rest.push({ sign: 'notin', of: this.#sum() });
      } else return rest.length === 0 ? first : { type: 'comparison', first, rest };
    }
  }

  #binary(signs: readonly string[], part: () => Expression): Expression {
    let left = part();
    while (this.is('operator', ...signs)) {
      const sign = this.next().value as BinarySign;
      left = { type: 'binary', sign, left, right: part() };
    }
    return left;
  }

  #sum(): Expression {
    return this.#binary(['+', '-'], () => this.#joined());
  }

  #joined(): Expression {
    const first = this.#product();
    const items = [first];
    while (this.skipIf('operator', '~')) items.push(this.#product());
    return items.length === 1 ? first : { type: 'joined', items };
  }

  #product(): Expression {
    return this.#binary(['*', '/', '//', '%'], () => this.#power());
  }

  #power(): Expression {
    return this.#binary(['**'], () => this.#unary());
  }

  #unary(withFilter = true): Expression {
    const sign = this.is('operator', '-', '+') ? (this.next().value as '-' | '+') : null;
    const inner: Expression =
      sign === null ? this.#checkedPrimary() : { type: 'signed', sign, of: this.#unary(false) };
    const node = this.#postfix(inner);
    return withFilter ? this.#filtered(node) : node;
  }

  #checkedPrimary(): Expression {
    const node = this.primary(false);
    return node.type === 'namespaceAttribute' ? this.fail('unexpected attribute') : node;
  }

  /** Reads a name, a constant, or an expression in brackets. Only in an assignment may a name have an attribute here. */
  protected primary(withNamespace: boolean): Expression | NamespaceAttribute {
    const token = this.current;
    if (token.type === 'name') {
      this.next();
      const constant = CONSTANTS.get(token.value);
      if (constant !== undefined) return { type: 'constant', value: constant };
      const name = `${token.value}`;
      if (!withNamespace || !this.skipIf('operator', '.')) return { type: 'name', name, use: 'load' };
      return { type: 'namespaceAttribute', name, attribute: this.expectName() };
    }
    if (token.type === 'string') {
      const parts: string[] = [];
      while (this.is('string')) parts.push(`${this.next().value}`);
      return { type: 'constant', value: parts.join('') };
    }
    if (token.type === 'integer' || token.type === 'float')
      return { type: 'constant', value: this.next().value };
    if (this.skipIf('operator', '(')) {
      const inner = this.tuple({ explicit: true });
      this.expect('operator', ')');
      return inner;
    }
    if (this.is('operator', '[')) return { type: 'list', items: this.#items('[', ']') };
    if (this.is('operator', '{')) return this.#dict();
    return this.fail(`unexpected '${described(token)}'`, token.line);
  }

  /** An expression, or several with commas between them. */
  protected tuple({ withCondition = true, end = null as string | null, explicit = false } = {}): Expression {
    const items = this.several(() => this.expression(withCondition), end);
    if (!Array.isArray(items)) return items as Expression;
    if (items.length > 0 || explicit) return { type: 'tuple', items: items as Expression[] };
    return this.fail(`Expected an expression, got '${described(this.current)}'`);
  }

  /** Reads parts with commas between them. A part without a comma is returned by itself, and no part is an empty list. */
  protected several<Part>(part: () => Part, end: string | null): Part | Part[] {
    const items: Part[] = [];
    let comma = false;
    for (;;) {
      if (items.length > 0) this.expect('operator', ',');
      const ended = this.is('variable_end') || this.is('block_end') || this.is('operator', ')');
      if (ended || (end !== null && this.is('name', end))) break;
      items.push(part());
      if (!this.is('operator', ',')) break;
      comma = true;
    }
    const [only] = items;
    return comma || only === undefined ? items : only;
  }

  #items(open: string, close: string): Expression[] {
    this.expect('operator', open);
    const items: Expression[] = [];
    while (!this.is('operator', close)) {
      if (items.length > 0) this.expect('operator', ',');
      if (this.is('operator', close)) break;
      items.push(this.expression());
    }
    this.expect('operator', close);
    return items;
  }

  #dict(): Expression {
    this.expect('operator', '{');
    const pairs: [Expression, Expression][] = [];
    while (!this.is('operator', '}')) {
      if (pairs.length > 0) this.expect('operator', ',');
      if (this.is('operator', '}')) break;
      const key = this.expression();
      this.expect('operator', ':');
      pairs.push([key, this.expression()]);
    }
    this.expect('operator', '}');
    return { type: 'dict', pairs };
  }

  #postfix(inner: Expression): Expression {
    let node = inner;
    for (;;) {
      if (this.skipIf('operator', '.')) node = this.#attribute(node);
      else if (this.is('operator', '[')) node = this.#subscript(node);
      else if (this.is('operator', '(')) node = { type: 'call', of: node, ...this.#arguments() };
      else return node;
    }
  }

  #filtered(inner: Expression): Expression {
    let node = inner;
    for (;;) {
      if (this.is('operator', '|')) node = this.filter(node);
      else if (this.is('name', 'is')) node = this.#test(node);
      else if (this.is('operator', '(')) node = { type: 'call', of: node, ...this.#arguments() };
      else return node;
    }
  }

  #attribute(of: Expression): Expression {
    const { type, value, line } = this.next();
    if (type === 'name') return { type: 'attribute', of, name: `${value}` };
    if (type === 'integer') return { type: 'item', of, key: { type: 'constant', value } };
    return this.fail('expected name or number', line);
  }

  #subscript(of: Expression): Expression {
    this.expect('operator', '[');
    const keys: (Expression | readonly (Expression | null)[])[] = [];
    while (!this.is('operator', ']')) {
      if (keys.length > 0) this.expect('operator', ',');
      keys.push(this.#subscribed());
    }
    this.expect('operator', ']');
    const [only] = keys;
    if (keys.length === 1 && only !== undefined) {
      if ('type' in only) return { type: 'item', of, key: only };
      const [from = null, to = null, by = null] = only;
      return { type: 'slice', of, bounds: [from, to, by] };
    }
    const items = keys.map((key) =>
      'type' in key ? key : this.fail('several slices in one are not known here'),
    );
    return { type: 'item', of, key: { type: 'tuple', items } };
  }

  /** A key, or the three bounds of a slice. */
  #subscribed(): Expression | readonly (Expression | null)[] {
    const bounds: (Expression | null)[] = [];
    if (this.skipIf('operator', ':')) bounds.push(null);
    else {
      const key = this.expression();
      if (!this.skipIf('operator', ':')) return key;
      bounds.push(key);
    }
    const ended = (): boolean => this.is('operator', ']', ',');
    bounds.push(this.is('operator', ':') || ended() ? null : this.expression());
    if (this.skipIf('operator', ':')) bounds.push(ended() ? null : this.expression());
    return bounds;
  }

  #arguments(): Arguments {
    const { line } = this.expect('operator', '(');
    const args: Expression[] = [];
    const named: Keyword[] = [];
    let more: Expression | null = null;
    let moreNamed: Expression | null = null;
    const ensure = (right: boolean): void => {
      if (!right) this.fail('invalid syntax for function call expression', line);
    };
    for (let first = true; !this.is('operator', ')'); first = false) {
      if (!first) {
        this.expect('operator', ',');
        if (this.is('operator', ')')) break;
      }
      if (this.skipIf('operator', '*')) {
        ensure(more === null && moreNamed === null);
        more = this.expression();
      } else if (this.skipIf('operator', '**')) {
        ensure(moreNamed === null);
        moreNamed = this.expression();
      } else if (this.is('name') && this.following.type === 'operator' && this.following.value === '=') {
        ensure(moreNamed === null);
        const name = this.expectName();
        this.next();
        if (named.some((each) => each.name === name)) this.fail(`keyword argument repeated: ${name}`);
        named.push({ type: 'keyword', name, value: this.expression() });
      } else {
        ensure(more === null && moreNamed === null && named.length === 0);
        args.push(this.expression());
      }
    }
    this.expect('operator', ')');
    return { args, named, more, moreNamed };
  }

  #dottedName(): string {
    let name = this.expectName();
    while (this.skipIf('operator', '.')) name += `.${this.expectName()}`;
    return name;
  }

  /** The filters behind a value; `started` where the first has no `|` before it. */
  protected filter(of: Expression | null, started = false): FilterNode {
    let node: FilterNode | null = null;
    let inline = started;
    while (inline || this.is('operator', '|')) {
      if (!inline) this.next();
      inline = false;
      const { line } = this.current;
      const name = this.#dottedName();
      this.#checkName('filter', name, line);
      const given = this.is('operator', '(')
        ? this.#arguments()
        : { args: [], named: [], more: null, moreNamed: null };
      node = { type: 'filter', of: node ?? of, name, ...given };
    }
    return node ?? this.fail('a filter is missing');
  }

  #test(of: Expression): Expression {
    this.next();
    const negated = this.skipIf('name', 'not');
    const { line } = this.current;
    const name = this.#dottedName();
    this.#checkName('test', name, line);
    const node: Expression = { type: 'test', of, name, ...this.#testArguments() };
    return negated ? { type: 'not', of: node } : node;
  }

  #testArguments(): Arguments {
    const none = { args: [], named: [], more: null, moreNamed: null };
    if (this.is('operator', '(')) return this.#arguments();
    const begins =
      this.is('name') ||
      this.is('string') ||
      this.is('integer') ||
      this.is('float') ||
      this.is('operator', '[', '{');
    if (!begins || this.is('name', 'else', 'or', 'and')) return none;
    if (this.is('name', 'is')) this.fail('You cannot chain multiple tests with is');
    return { ...none, args: [this.#postfix(this.#checkedPrimary())] };
  }
}
