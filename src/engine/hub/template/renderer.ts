/** Runs the statements of a template. */
import { callOf, evaluated, filteredBy } from './expressions.ts';
import { Frame, type Context } from './frames.ts';
import { Loop } from './loops.ts';
import { Macro, shapeOf, type MacroShape } from './macros.ts';
import type { BlockNode, ForNode, IfNode, MacroNode, Statement, Target } from './nodes.ts';
import { str } from './printing.ts';
import { bodyScope, loopScope, withScope, type Symbols } from './scopes.ts';
import { Fn, Namespace } from './objects.ts';
import { each, isTrue, PyObject, TemplateError, textOf, typeName, type Value } from './values.ts';
import { deeper, MOST_TEXT, spend, spendOn } from './work.ts';

/** The text that a body has written so far. */
class Output {
  readonly #pieces: string[] = [];
  #length = 0;

  add(piece: string): void {
    this.#length += piece.length;
    spendOn(this.#length > MOST_TEXT ? this.#length : piece.length);
    this.#pieces.push(piece);
  }

  /** Adds what a call or a filter gave, which must be a text. */
  addText(value: Value): void {
    const text = textOf(value);
    if (text === null)
      throw new TemplateError(`sequence item 0: expected str instance, ${typeName(value)} found`);
    this.add(text);
  }

  get text(): string {
    return this.#pieces.join('');
  }
}

/** The statement that ended a body early, or null if the body came to its end. */
type Left = 'break' | 'continue' | null;

/** The variable `self`: the blocks of the template as functions. */
class SelfReference extends PyObject {
  override readonly type = 'TemplateReference';
  readonly #block: (name: string) => Value | undefined;

  constructor(block: (name: string) => Value | undefined) {
    super();
    this.#block = block;
  }

  override attribute(name: string): Value | undefined {
    return this.#block(name);
  }

  override text(): string {
    return '<TemplateReference None>';
  }
}

export interface Program {
  readonly body: readonly Statement[];
  readonly blocks: ReadonlyMap<string, BlockNode>;
  /** The scopes of its nodes that were read already, by what they are the scope of. */
  readonly scopes: Map<object, Symbols>;
  readonly macros: Map<MacroNode, MacroShape>;
}

export class Renderer {
  readonly #program: Program;
  readonly #context: Context;

  constructor(program: Program, context: Context) {
    this.#program = program;
    this.#context = context;
  }

  run(): string {
    return this.#root(this.#program.body, true);
  }

  /** The text of a body without a scope around it: the template itself, or a block of it. */
  #root(body: readonly Statement[], exports: boolean): string {
    const symbols = this.#scope(body, () => bodyScope(null, body));
    const frame = new Frame(symbols, null, this.#context, exports);
    if (symbols.knows('self')) frame.declare('self', this.#self());
    return this.#textOf(body, frame);
  }

  #self(): SelfReference {
    return new SelfReference((name) => {
      const block = this.#program.blocks.get(name);
      return block && new Fn(() => deeper(() => this.#root(block.body, false)), 'BlockReference');
    });
  }

  /** The symbols of a scope, which are read once. */
  #scope(of: object, read: () => Symbols): Symbols {
    const known = this.#program.scopes.get(of);
    if (known !== undefined) return known;
    const symbols = read();
    this.#program.scopes.set(of, symbols);
    return symbols;
  }

  #textOf = (body: readonly Statement[], frame: Frame): string => {
    const output = new Output();
    this.#all(body, frame, output);
    return output.text;
  };

  /** Runs statements in order. */
  #all(body: readonly Statement[], frame: Frame, output: Output): Left {
    for (const statement of body) {
      const left = this.#one(statement, frame, output);
      if (left !== null) return left;
    }
    return null;
  }

  #one(node: Statement, frame: Frame, output: Output): Left {
    spend();
    switch (node.type) {
      case 'text':
        output.add(node.text);
        return null;
      case 'output':
        for (const item of node.items) output.add(str(evaluated(item, frame)));
        return null;
      case 'if':
        return this.#if(node, frame, output);
      case 'for':
        return this.#for(node, frame, output);
      case 'set':
        this.#checkNamespaces(node.target, frame);
        this.#assign(node.target, evaluated(node.value, frame), frame);
        return null;
      case 'setBlock': {
        const inner = this.#inner(node.body, frame);
        const part = new Output();
        const left = this.#all(node.body, inner, part);
        if (left !== null) return left;
        this.#checkNamespaces(node.target, frame);
        const { filter } = node;
        this.#assign(node.target, filter === null ? part.text : filteredBy(filter, inner, part.text), frame);
        return null;
      }
      case 'filterBlock': {
        const symbols = this.#scope(node, () => bodyScope(frame.symbols, node.body, node.filter));
        const inner = new Frame(symbols, frame, this.#context);
        const part = new Output();
        const left = this.#all(node.body, inner, part);
        if (left === null) output.addText(filteredBy(node.filter, inner, part.text));
        return left;
      }
      case 'with': {
        const values = node.values.map((value) => evaluated(value, frame));
        const symbols = this.#scope(node, () => withScope(frame.symbols, node.targets, node.body));
        const inner = new Frame(symbols, frame, this.#context);
        node.targets.forEach((target, i) => this.#assign(target, values[i] ?? null, inner));
        return this.#all(node.body, inner, output);
      }
      case 'scope':
        return this.#all(node.body, this.#inner(node.body, frame), output);
      case 'macro':
        frame.set(node.name, this.#macro(node, frame));
        return null;
      case 'callBlock':
        if (node.call === null) return null;
        output.addText(callOf(node.call, frame, [['caller', this.#macro(node, frame)]]));
        return null;
      case 'generation':
        output.add(this.#macro(node, frame).call({ args: [], named: new Map() }));
        return null;
      case 'block':
        output.add(this.#root(node.body, false));
        return null;
      case 'break':
      case 'continue':
        return node.type;
      case 'raise':
        throw new TemplateError(node.why);
    }
  }

  /** A frame for a body with variables of its own. */
  #inner(body: readonly Statement[], frame: Frame): Frame {
    const symbols = this.#scope(body, () => bodyScope(frame.symbols, body));
    return new Frame(symbols, frame, this.#context);
  }

  #macro(node: MacroNode, frame: Frame): Macro {
    const known = this.#program.macros.get(node);
    const shape = known ?? shapeOf(node, frame.symbols);
    this.#program.macros.set(node, shape);
    return new Macro(node, shape, frame, this.#context, this.#textOf);
  }

  #if(node: IfNode, frame: Frame, output: Output): Left {
    for (const { test, body } of [node, ...node.elifs])
      if (isTrue(evaluated(test, frame))) return this.#all(body, frame, output);
    return this.#all(node.otherwise, frame, output);
  }

  #for(node: ForNode, frame: Frame, output: Output): Left {
    const over = evaluated(node.over, frame);
    if (!node.recursive) return this.#loop(node, over, 0, frame, output);
    const part = new Output();
    const left = this.#loop(node, over, 0, frame, part);
    output.add(part.text);
    return left;
  }

  #loop(node: ForNode, over: Value, depth0: number, frame: Frame, output: Output): Left {
    const { target, body, otherwise, test, recursive } = node;
    const values = test === null ? each(over) : this.#passing(node, over, frame);
    const again = (inside: Value, depth: number): string => {
      const part = new Output();
      deeper(() => this.#loop(node, inside, depth, frame, part));
      return part.text;
    };
    // A loop with a condition can't know its length before it has tried every value.
    const counted = test === null ? over : false;
    const loop = new Loop(counted, values, depth0, recursive ? again : null);
    const symbols = this.#scope(body, () => loopScope(frame.symbols, target, body, true));
    let whole = false;
    for (let value = loop.next(); value !== undefined; value = loop.next()) {
      const inner = new Frame(symbols, frame, this.#context);
      inner.set('loop', loop);
      this.#assign(target, value, inner);
      const left = this.#all(body, inner, output);
      if (left === 'break') break;
      // As in Jinja2, whose "else" asks for one round that came to its end.
      if (left === null) whole = true;
    }
    if (whole || otherwise.length === 0) return null;
    return this.#all(otherwise, this.#inner(otherwise, frame), output);
  }

  /** The values of a loop that pass the condition behind its `if`. */
  *#passing({ target, test }: ForNode, over: Value, frame: Frame): Generator<Value, void> {
    if (test === null) return;
    const symbols = this.#scope(test, () => loopScope(frame.symbols, target, test, false));
    const inner = new Frame(symbols, frame, this.#context);
    for (const value of each(over)) {
      this.#assign(target, value, inner);
      if (isTrue(evaluated(test, inner))) yield value;
    }
  }

  #checkNamespaces(target: Target, frame: Frame): void {
    if (target.type === 'targets') for (const item of target.items) this.#checkNamespaces(item, frame);
    if (target.type === 'namespaceAttribute' && !(frame.find(target.name) instanceof Namespace))
      throw new TemplateError('cannot assign attribute on non-namespace object');
  }

  #assign(target: Target, value: Value, frame: Frame): void {
    if (target.type === 'name') return frame.set(target.name, value);
    if (target.type === 'namespaceAttribute') {
      const namespace = frame.find(target.name);
      if (namespace instanceof Namespace) namespace.assign(target.attribute, value);
      return;
    }
    const { items } = target;
    const values: Value[] = [];
    for (const item of each(value)) {
      values.push(item);
      if (values.length > items.length)
        throw new TemplateError(`too many values to unpack (expected ${items.length})`);
    }
    if (values.length < items.length)
      throw new TemplateError(`not enough values to unpack (expected ${items.length}, got ${values.length})`);
    items.forEach((item, i) => this.#assign(item, values[i] ?? null, frame));
  }
}
