/** Reads a template: its text, its statements and, with `ExpressionParser`, its expressions. */
import { ExpressionParser } from './expressionParser.ts';
import type {
  BlockNode,
  Expression,
  ForNode,
  IfNode,
  MacroNode,
  Name,
  NamespaceAttribute,
  Parameters,
  Statement,
  Target,
} from './nodes.ts';

/** Tags that Jinja2 has and that need other templates, of which there are none here. */
const OTHER_TEMPLATES: readonly string[] = ['extends', 'include', 'import', 'from'];

export class Parser extends ExpressionParser {
  #loops = 0;
  /** The times that something named `loop` was assigned. */
  #loopStores = 0;
  readonly #blocks = new Map<string, BlockNode>();

  /** The statements of a template, and its blocks by name. @throws TemplateSyntaxError if it can't be read. */
  static read(source: string): {
    readonly body: readonly Statement[];
    readonly blocks: ReadonlyMap<string, BlockNode>;
  } {
    const parser = new Parser(source);
    const body = parser.#statements([]);
    parser.checkNames();
    return { body, blocks: parser.#blocks };
  }

  /** The statements up to one of the tags `ends`, which is not passed. */
  #statements(ends: readonly string[]): Statement[] {
    const body: Statement[] = [];
    while (!this.is('eof')) {
      if (this.is('data')) body.push({ type: 'text', text: `${this.next().value}` });
      else if (this.is('variable_begin')) {
        this.next();
        body.push({ type: 'output', items: [this.tuple()] });
        this.expect('variable_end');
      } else {
        this.expect('block_begin');
        if (ends.length > 0 && this.is('name', ...ends)) return body;
        body.push(this.#statement(ends));
        this.expect('block_end');
      }
    }
    if (ends.length > 0)
      this.fail(
        `Unexpected end of template. Jinja was looking for the following tags: ${ends.map((end) => `'${end}'`).join(' or ')}.`,
      );
    return body;
  }

  /** The body of a tag, up to one of the tags `ends`, whose name is passed and returned. */
  #body(ends: readonly string[]): { readonly body: Statement[]; readonly end: string } {
    this.skipIf('operator', ':');
    this.expect('block_end');
    const body = this.#statements(ends);
    return { body, end: `${this.next().value}` };
  }

  /** The body of a tag with a scope of its own, where an unknown filter is an error at once. */
  #ownBody(...ends: readonly string[]): Statement[] {
    return this.#scoped(() => this.#body(ends).body);
  }

  #scoped<Result>(read: () => Result, conditional = false): Result {
    const before = this.conditional;
    this.conditional = conditional;
    const result = read();
    this.conditional = before;
    return result;
  }

  #statement(ends: readonly string[]): Statement {
    if (!this.is('name')) this.fail('tag name expected');
    const { line } = this.current;
    const tag = `${this.next().value}`;
    switch (tag) {
      case 'for':
        return this.#for();
      case 'if':
        return this.#if();
      case 'set':
        return this.#set();
      case 'macro':
        return this.#macro();
      case 'call':
        return this.#callBlock(line);
      case 'filter':
        return this.#scoped(() => ({
          type: 'filterBlock',
          filter: this.filter(null, true),
          body: this.#ownBody('endfilter'),
        }));
      case 'with':
        return this.#with();
      case 'block':
        return this.#block();
      case 'print':
        return this.#print();
      case 'autoescape':
        return this.#autoescape();
      case 'generation':
        return this.#generation();
      case 'break':
      case 'continue':
        if (this.#loops === 0) this.fail(`'${tag}' outside loop`, line);
        return { type: tag };
      default:
        if (OTHER_TEMPLATES.includes(tag)) return this.#otherTemplate();
        return this.fail(
          `Encountered unknown tag '${tag}'.${ends.length === 0 ? '' : ` Jinja was looking for the following tags: ${ends.map((end) => `'${end}'`).join(' or ')}.`}`,
          line,
        );
    }
  }

  #otherTemplate(): Statement {
    // What follows is not evaluated, since the tag raises.
    while (!this.is('block_end') && !this.is('eof')) this.next();
    return { type: 'raise', why: 'no loader for this environment specified' };
  }

  #target(end: string | null, withNamespace: boolean, use: 'store' | 'param' = 'store'): Target {
    const read = this.several(() => this.primary(withNamespace), end);
    return Array.isArray(read) ? this.#targets(read, use) : this.#asTarget(read as Expression, use);
  }

  #targets(items: readonly (Expression | NamespaceAttribute)[], use: 'store' | 'param'): Target {
    if (items.length === 0) this.fail('Expected an expression');
    return { type: 'targets', items: items.map((item) => this.#asTarget(item, use)) };
  }

  #asTarget(node: Expression | NamespaceAttribute, use: 'store' | 'param'): Target {
    if (node.type === 'namespaceAttribute') return node;
    if (node.type === 'tuple')
      return { type: 'targets', items: node.items.map((item) => this.#asTarget(item, use)) };
    if (node.type !== 'name') return this.fail(`can't assign to '${node.type}'`);
    if (node.name === 'loop' && use === 'store') this.#loopStores++;
    return { type: 'name', name: node.name, use };
  }

  #for(): ForNode {
    const stores = this.#loopStores;
    const target = this.#target('in', false);
    this.expect('name', 'in');
    const over = this.tuple({ withCondition: false, end: 'recursive' });
    const test = this.skipIf('name', 'if') ? this.#scoped(() => this.expression()) : null;
    const recursive = this.skipIf('name', 'recursive');
    this.#loops++;
    const { body, end } = this.#scoped(() => this.#body(['endfor', 'else']));
    this.#loops--;
    const readElse = (): Statement[] => this.#ownBody('endfor');
    const otherwise = end !== 'else' ? [] : recursive ? this.#function(readElse) : readElse();
    if (this.#loopStores > stores) this.fail("Can't assign to special loop variable in for-loop target");
    return { type: 'for', target, over, body, otherwise, test, recursive };
  }

  #if(): IfNode {
    return this.#scoped(() => {
      const test = this.tuple({ withCondition: false });
      const { body, end } = this.#body(['elif', 'else', 'endif']);
      const elifs: IfNode[] = [];
      let last = end;
      while (last === 'elif') {
        const other = this.tuple({ withCondition: false });
        const read = this.#body(['elif', 'else', 'endif']);
        elifs.push({ type: 'if', test: other, body: read.body, elifs: [], otherwise: [] });
        last = read.end;
      }
      const otherwise = last === 'else' ? this.#body(['endif']).body : [];
      return { type: 'if', test, body, elifs, otherwise };
    }, true);
  }

  #set(): Statement {
    const target = this.#target(null, true);
    if (this.skipIf('operator', '=')) return { type: 'set', target, value: this.tuple() };
    return this.#scoped(() => {
      const filter = this.is('operator', '|') ? this.filter(null) : null;
      return { type: 'setBlock', target, filter, body: this.#ownBody('endset') };
    });
  }

  #parameters(): Parameters {
    const parameters: Name[] = [];
    const defaults: Expression[] = [];
    this.expect('operator', '(');
    while (!this.is('operator', ')')) {
      if (parameters.length > 0) this.expect('operator', ',');
      const name = this.expectName();
      if (parameters.some((each) => each.name === name))
        this.fail(`duplicate argument '${name}' in function definition`);
      parameters.push({ type: 'name', name, use: 'param' });
      if (this.skipIf('operator', '=')) defaults.push(this.expression());
      else if (defaults.length > 0) this.fail('non-default argument follows default argument');
    }
    this.expect('operator', ')');
    return { parameters, defaults };
  }

  /** Reads what becomes a function of Python, as a recursive loop does too: a loop outside of it can't be left from within. */
  #function<Result>(read: () => Result): Result {
    const loops = this.#loops;
    this.#loops = 0;
    const result = this.#scoped(read);
    this.#loops = loops;
    return result;
  }

  #macro(): MacroNode {
    const name = this.expectName();
    return this.#function(() => ({
      type: 'macro',
      name,
      call: null,
      ...this.#parameters(),
      body: this.#ownBody('endmacro'),
    }));
  }

  #callBlock(line: number): MacroNode {
    const signature = this.is('operator', '(')
      ? this.#function(() => this.#parameters())
      : { parameters: [], defaults: [] };
    const call = this.expression();
    if (call.type !== 'call') return this.fail('expected call', line);
    const body = this.#function(() => this.#ownBody('endcall'));
    return { type: 'callBlock', name: 'caller', call, ...signature, body };
  }

  #generation(): MacroNode {
    const body = this.#function(() => this.#ownBody('endgeneration'));
    return { type: 'generation', name: 'caller', call: null, parameters: [], defaults: [], body };
  }

  #with(): Statement {
    const targets: Target[] = [];
    const values: Expression[] = [];
    while (!this.is('block_end') && !this.is('operator', ':')) {
      if (targets.length > 0) this.expect('operator', ',');
      targets.push(this.#target(null, false, 'param'));
      this.expect('operator', '=');
      values.push(this.expression());
    }
    return { type: 'with', targets, values, body: this.#ownBody('endwith') };
  }

  #block(): BlockNode {
    const { line } = this.current;
    const name = this.expectName();
    if (this.is('name', 'scoped', 'required')) this.fail('scoped and required blocks are not known here');
    const body = this.#function(() => this.#ownBody('endblock'));
    this.skipIf('name', name);
    if (this.#blocks.has(name)) this.fail(`block '${name}' defined twice`, line);
    const block: BlockNode = { type: 'block', name, body };
    this.#blocks.set(name, block);
    return block;
  }

  #print(): Statement {
    const items: Expression[] = [];
    while (!this.is('block_end')) {
      if (items.length > 0) this.expect('operator', ',');
      items.push(this.expression());
    }
    return { type: 'output', items };
  }

  #autoescape(): Statement {
    const { line } = this.current;
    const option = this.expression();
    if (option.type !== 'constant' || option.value !== false)
      this.fail('a text is not escaped for HTML here, as autoescape asks', line);
    return { type: 'scope', body: this.#ownBody('endautoescape') };
  }
}
