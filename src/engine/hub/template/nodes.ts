/** The parse tree of a template. */
import type { Value } from './values.ts';

export interface Keyword {
  readonly type: 'keyword';
  readonly name: string;
  readonly value: Expression;
}

export interface Arguments {
  readonly args: readonly Expression[];
  readonly named: readonly Keyword[];
  /** The argument behind `*`. */
  readonly more: Expression | null;
  /** The argument behind `**`. */
  readonly moreNamed: Expression | null;
}

export interface Name {
  readonly type: 'name';
  readonly name: string;
  readonly use: 'load' | 'store' | 'param';
}

export interface NamespaceAttribute {
  readonly type: 'namespaceAttribute';
  readonly name: string;
  readonly attribute: string;
}

export interface TargetTuple {
  readonly type: 'targets';
  readonly items: readonly Target[];
}

export type Target = Name | NamespaceAttribute | TargetTuple;

export type FilterNode = {
  readonly type: 'filter';
  /** The filtered expression, or null for a filter of a block. */
  readonly of: Expression | null;
  readonly name: string;
} & Arguments;

export type CallNode = { readonly type: 'call'; readonly of: Expression } & Arguments;

export type BinarySign = '+' | '-' | '*' | '/' | '//' | '%' | '**';
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'notin';

export type Expression =
  | { readonly type: 'constant'; readonly value: Value }
  | Name
  | { readonly type: 'tuple' | 'list'; readonly items: readonly Expression[] }
  | { readonly type: 'dict'; readonly pairs: readonly (readonly [Expression, Expression])[] }
  | {
      readonly type: 'condition';
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression | null;
      readonly line: number;
    }
  | { readonly type: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly type: 'not'; readonly of: Expression }
  | { readonly type: 'signed'; readonly sign: '-' | '+'; readonly of: Expression }
  | {
      readonly type: 'binary';
      readonly sign: BinarySign;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly type: 'joined'; readonly items: readonly Expression[] }
  | {
      readonly type: 'comparison';
      readonly first: Expression;
      readonly rest: readonly { readonly sign: Comparison; readonly of: Expression }[];
    }
  | { readonly type: 'attribute'; readonly of: Expression; readonly name: string }
  | { readonly type: 'item'; readonly of: Expression; readonly key: Expression }
  | {
      readonly type: 'slice';
      readonly of: Expression;
      readonly bounds: readonly [Expression | null, Expression | null, Expression | null];
    }
  | CallNode
  | FilterNode
  | ({ readonly type: 'test'; readonly of: Expression; readonly name: string } & Arguments);

export interface Parameters {
  readonly parameters: readonly Name[];
  /** The defaults of the last parameters. */
  readonly defaults: readonly Expression[];
}

export interface ForNode {
  readonly type: 'for';
  readonly target: Target;
  readonly over: Expression;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
  readonly test: Expression | null;
  readonly recursive: boolean;
}

export interface IfNode {
  readonly type: 'if';
  readonly test: Expression;
  readonly body: readonly Statement[];
  readonly elifs: readonly IfNode[];
  readonly otherwise: readonly Statement[];
}

/** The body of a macro, of a `call` block, or of a `generation` block, which is one without parameters. */
export type MacroNode = {
  readonly type: 'macro' | 'callBlock' | 'generation';
  readonly name: string;
  /** The call of a `call` block. */
  readonly call: CallNode | null;
  readonly body: readonly Statement[];
} & Parameters;

export interface BlockNode {
  readonly type: 'block';
  readonly name: string;
  readonly body: readonly Statement[];
}

export type Statement =
  | { readonly type: 'output'; readonly items: readonly Expression[] }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'set'; readonly target: Target; readonly value: Expression }
  | {
      readonly type: 'setBlock';
      readonly target: Target;
      readonly filter: FilterNode | null;
      readonly body: readonly Statement[];
    }
  | ForNode
  | IfNode
  | MacroNode
  | BlockNode
  | { readonly type: 'filterBlock'; readonly filter: FilterNode; readonly body: readonly Statement[] }
  | {
      readonly type: 'with';
      readonly targets: readonly Target[];
      readonly values: readonly Expression[];
      readonly body: readonly Statement[];
    }
  | { readonly type: 'scope'; readonly body: readonly Statement[] }
  | { readonly type: 'break' | 'continue' }
  /** A tag that Jinja2 has and that raises when it is reached. */
  | { readonly type: 'raise'; readonly why: string };

export type Node = Expression | Statement | Target | Keyword;
