/** The values of expressions. */
import { attributeOf, called, itemOf, sliceOf } from './attributes.ts';
import { filtered } from './filters.ts';
import type { Frame } from './frames.ts';
import type { Arguments, Comparison, Expression, FilterNode } from './nodes.ts';
import { calculated, compare, contains, equal, signed } from './operators.ts';
import { str } from './printing.ts';
import { tested } from './tests.ts';
import {
  Dict,
  each,
  isTrue,
  TemplateError,
  textOf,
  Tuple,
  Undefined,
  type Given,
  type Value,
} from './values.ts';
import { spend, spendOn } from './work.ts';

function givenBy({ args, named, more, moreNamed }: Arguments, frame: Frame): Given {
  const values = args.map((argument) => evaluated(argument, frame));
  const byName = new Map(named.map(({ name, value }) => [name, evaluated(value, frame)] as const));
  if (more !== null) for (const value of each(evaluated(more, frame))) values.push(value);
  if (moreNamed !== null) {
    const others = evaluated(moreNamed, frame);
    if (!(others instanceof Dict)) throw new TemplateError('argument after ** must be a mapping');
    for (const [key, value] of others.entries()) {
      const name = textOf(key);
      if (name === null) throw new TemplateError('keywords must be strings');
      if (byName.has(name)) throw new TemplateError(`got multiple values for keyword argument '${name}'`);
      byName.set(name, value);
    }
  }
  return { args: values, named: byName };
}

function holds(left: Value, sign: Comparison, right: Value): boolean {
  switch (sign) {
    case '==':
      return equal(left, right);
    case '!=':
      return !equal(left, right);
    case 'in':
      return contains(right, left);
    case 'notin':
      return !contains(right, left);
    case '<':
      return compare(left, right, sign) < 0;
    case '<=':
      return compare(left, right, sign) <= 0;
    case '>':
      return compare(left, right, sign) > 0;
    case '>=':
      return compare(left, right, sign) >= 0;
  }
}

/** The result of a filter. `text` is the text of the block that the filter is applied to. */
export function filteredBy(node: FilterNode, frame: Frame, text: Value = null): Value {
  const { of } = node;
  // The filters of a block stand within each other, and the innermost has the block's text.
  const value =
    of === null ? text : of.type === 'filter' ? filteredBy(of, frame, text) : evaluated(of, frame);
  return filtered(node.name, value, givenBy(node, frame));
}

/** The call of what a node names, with further arguments by name. */
export function callOf(
  node: { readonly of: Expression } & Arguments,
  frame: Frame,
  more: readonly (readonly [string, Value])[] = [],
): Value {
  const callee = evaluated(node.of, frame);
  const { args, named } = givenBy(node, frame);
  return called(callee, { args, named: new Map([...named, ...more]) });
}

export function evaluated(node: Expression, frame: Frame): Value {
  spend();
  const all = (items: readonly Expression[]): Value[] => items.map((item) => evaluated(item, frame));
  switch (node.type) {
    case 'constant':
      return node.value;
    case 'name':
      return frame.read(node.name);
    case 'list':
      return all(node.items);
    case 'tuple':
      return new Tuple(all(node.items));
    case 'dict':
      return new Dict(
        node.pairs.map(([key, value]) => [evaluated(key, frame), evaluated(value, frame)] as const),
      );
    case 'condition':
      if (isTrue(evaluated(node.test, frame))) return evaluated(node.yes, frame);
      if (node.no !== null) return evaluated(node.no, frame);
      return new Undefined(
        `the inline if-expression on line ${node.line} evaluated to false and no else section was defined.`,
      );
    case 'and': {
      const left = evaluated(node.left, frame);
      return isTrue(left) ? evaluated(node.right, frame) : left;
    }
    case 'or': {
      const left = evaluated(node.left, frame);
      return isTrue(left) ? left : evaluated(node.right, frame);
    }
    case 'not':
      return !isTrue(evaluated(node.of, frame));
    case 'signed':
      return signed(evaluated(node.of, frame), node.sign);
    case 'binary':
      return calculated(evaluated(node.left, frame), evaluated(node.right, frame), node.sign);
    case 'joined': {
      const text = all(node.items).map(str).join('');
      spendOn(text.length);
      return text;
    }
    case 'comparison': {
      let left = evaluated(node.first, frame);
      for (const { sign, of } of node.rest) {
        const right = evaluated(of, frame);
        if (!holds(left, sign, right)) return false;
        left = right;
      }
      return true;
    }
    case 'attribute':
      return attributeOf(evaluated(node.of, frame), node.name);
    case 'item':
      return itemOf(evaluated(node.of, frame), evaluated(node.key, frame));
    case 'slice': {
      const [from, to, by] = node.bounds.map((bound) => (bound === null ? null : evaluated(bound, frame)));
      return sliceOf(evaluated(node.of, frame), [from ?? null, to ?? null, by ?? null]);
    }
    case 'call':
      return callOf(node, frame);
    case 'filter':
      return filteredBy(node, frame);
    case 'test':
      return tested(node.name, evaluated(node.of, frame), givenBy(node, frame));
  }
}
