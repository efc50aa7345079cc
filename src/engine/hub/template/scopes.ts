/**
 * The variables of each scope of a template. Jinja2 settles before it runs which scope a name belongs to: a loop, a macro or a block has
 * variables of its own, and an `if` has not. A name that a scope only reads is looked up in the scopes around it.
 */
import type { Expression, MacroNode, Node, Statement, Target } from './nodes.ts';

/**
 * The value of a variable when its scope begins. It is given by the caller (`parameter`), is the variable of that name that the template
 * was given (`resolve`) or that a scope around it has (`outer`), or is `nothing`.
 */
export type Load = 'parameter' | 'resolve' | 'outer' | 'nothing';

export class Symbols {
  readonly parent: Symbols | null;
  readonly #loads: Map<string, Load>;
  readonly #stores: Set<string>;

  constructor(parent: Symbols | null, loads = new Map<string, Load>(), stores = new Set<string>()) {
    this.parent = parent;
    this.#loads = loads;
    this.#stores = stores;
  }

  get loads(): ReadonlyMap<string, Load> {
    return this.#loads;
  }

  knows(name: string): boolean {
    return this.#loads.has(name) || (this.parent?.knows(name) ?? false);
  }

  parameter(name: string): void {
    this.#stores.add(name);
    this.#loads.set(name, 'parameter');
  }

  store(name: string): void {
    this.#stores.add(name);
    if (!this.#loads.has(name))
      this.#loads.set(name, this.parent?.knows(name) === true ? 'outer' : 'nothing');
  }

  load(name: string): void {
    if (!this.knows(name)) this.#loads.set(name, 'resolve');
  }

  /** The symbols with those of the branches of a condition, of which at most one runs. */
  branches(bodies: readonly ((symbols: Symbols) => void)[]): void {
    const read = bodies.map((body) => {
      const branch = new Symbols(this.parent, new Map(this.#loads), new Set(this.#stores));
      body(branch);
      return branch;
    });
    const stored = new Set(read.flatMap((branch) => [...branch.#stores]));
    for (const name of this.#stores) stored.delete(name);
    for (const branch of read) {
      for (const [name, load] of branch.#loads) this.#loads.set(name, load);
      for (const name of branch.#stores) this.#stores.add(name);
    }
    for (const name of stored) this.#loads.set(name, this.parent?.knows(name) === true ? 'outer' : 'resolve');
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The nodes directly inside a node, a part of one, or a list of them. */
function* inside(value: object): Generator<Node> {
  for (const part of Object.values(value) as readonly unknown[])
    if (isNode(part)) yield part;
    else if (typeof part === 'object' && part !== null) yield* inside(part);
}

/** The parts of a node that belong to the scope around the node; null if all its parts do. */
function partsInScope(node: Node): readonly Node[] | null {
  const { type } = node;
  if (type === 'scope' || type === 'block' || type === 'generation') return [];
  if (type === 'callBlock') return node.call === null ? [] : [node.call];
  if (type === 'set') return [node.value, node.target];
  if (type === 'setBlock') return [node.target];
  if (type === 'for') return [node.over];
  if (type === 'filterBlock') return [node.filter];
  return type === 'with' ? node.values : null;
}

/** Adds the names of a node to the scope around it. */
function visit(node: Node, symbols: Symbols): void {
  if (node.type === 'name') {
    if (node.use === 'load') symbols.load(node.name);
    else if (node.use === 'store') symbols.store(node.name);
    else symbols.parameter(node.name);
  } else if (node.type === 'namespaceAttribute') symbols.load(node.name);
  else if (node.type === 'macro') symbols.store(node.name);
  else if (node.type === 'if') {
    visit(node.test, symbols);
    const bodies = [node.body, node.elifs, node.otherwise];
    symbols.branches(bodies.map((body) => (branch: Symbols) => visitAll(body, branch)));
  } else visitAll(partsInScope(node) ?? [...inside(node)], symbols);
}

function visitAll(nodes: readonly Node[], symbols: Symbols): void {
  for (const node of nodes) visit(node, symbols);
}

function asParameters(target: Target, symbols: Symbols): void {
  if (target.type === 'name') symbols.parameter(target.name);
  else if (target.type === 'targets') for (const item of target.items) asParameters(item, symbols);
}

/** The scope of a body. */
export function bodyScope(parent: Symbols | null, body: readonly Node[], last: Node | null = null): Symbols {
  const symbols = new Symbols(parent);
  visitAll(body, symbols);
  if (last !== null) visit(last, symbols);
  return symbols;
}

/** The scope of a loop's body, or of the condition behind its `if`. */
export function loopScope(
  parent: Symbols,
  target: Target,
  body: readonly Statement[] | Expression,
  withLoop: boolean,
): Symbols {
  const symbols = new Symbols(parent);
  if (withLoop) symbols.parameter('loop');
  asParameters(target, symbols);
  if ('type' in body) visit(body, symbols);
  else visitAll(body, symbols);
  return symbols;
}

export function withScope(parent: Symbols, targets: readonly Target[], body: readonly Statement[]): Symbols {
  return bodyScope(parent, [...targets, ...body]);
}

const SPECIAL = ['caller', 'kwargs', 'varargs'] as const;
export type SpecialParameter = (typeof SPECIAL)[number];

/** The special names that a macro's body reads without setting them first. */
export function specialParameters({ body }: MacroNode): ReadonlySet<SpecialParameter> {
  const names = new Set<string>(SPECIAL);
  const read = new Set<SpecialParameter>();
  const walk = (value: object): void => {
    for (const node of inside(value)) {
      if (node.type === 'block') continue;
      if (node.type === 'name') {
        const special = SPECIAL.find((each) => each === node.name && names.has(each));
        if (node.use === 'load' && special !== undefined) read.add(special);
        else names.delete(node.name);
      }
      walk(node);
    }
  };
  walk(body);
  return read;
}

export function macroScope(
  parent: Symbols,
  node: MacroNode,
  special: ReadonlySet<SpecialParameter>,
): Symbols {
  const symbols = new Symbols(parent);
  const { parameters, defaults, body } = node;
  visitAll([...parameters, ...defaults, ...body], symbols);
  for (const name of special) symbols.parameter(name);
  return symbols;
}
