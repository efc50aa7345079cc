/** Rules by which each number of a sequence follows from those before it. */
import { pick, uniformInt } from '../../../base/random.ts';

/** One operation of a rule; upstream has two more that change nothing, `none` here. */
export type Step =
  | { readonly kind: 'add' | 'multiply'; readonly by: number }
  | { readonly kind: 'square' | 'double' | 'halve' | 'previous' | 'none' };

const KINDS = ['add', 'multiply', 'square', 'double', 'halve', 'previous', 'none', 'none'] as const;
const WORDS: Readonly<Record<Step['kind'], string>> = {
  add: 'add',
  multiply: 'multiply by',
  square: 'square',
  double: 'double',
  halve: 'halve',
  previous: 'add previous',
  none: '',
};

/** `double then add 3`; empty where a rule changes nothing. */
export function describeRule(rule: readonly Step[]): string {
  return rule
    .filter(({ kind }) => kind !== 'none')
    .map((step) => `${WORDS[step.kind]}${'by' in step ? ` ${step.by}` : ''}`)
    .join(' then ');
}

/** What `describeRule` wrote. */
export function readRule(text: string): Step[] {
  return text.split(' then ').flatMap((part): Step[] => {
    const [, words = '', number] = /^(.*?)(?: (-?\d+))?$/.exec(part) ?? [];
    const kind = KINDS.find((each) => WORDS[each] === words);
    if (kind === undefined || kind === 'none') return [];
    return [kind === 'add' || kind === 'multiply' ? { kind, by: Number(number) } : { kind }];
  });
}

/** One operation more than `complexity` at most. */
export function drawRule(draw: () => number, complexity: number): Step[] {
  return Array.from({ length: uniformInt(draw, 1, complexity + 1) }, () => {
    const kind = pick(draw, KINDS);
    if (kind !== 'add' && kind !== 'multiply') return { kind };
    const amount = uniformInt(draw, 1, 20);
    return { kind, by: amount > 10 ? 10 - amount : amount };
  });
}

/** The rule with neighbouring sums, and neighbouring products, taken together: what the numbers of a sequence can tell. */
export function shortenRule(rule: readonly Step[]): Step[] {
  const short: Step[] = [];
  for (const step of rule) {
    const last = short.at(-1);
    const [factor, lastFactor] = [step, last].map((each) =>
      each?.kind === 'double' ? 2 : each?.kind === 'multiply' ? each.by : null,
    );
    if (step.kind === 'add' && last?.kind === 'add')
      short[short.length - 1] = { kind: 'add', by: last.by + step.by };
    else if (factor !== null && lastFactor !== null)
      short[short.length - 1] = { kind: 'multiply', by: (factor ?? 1) * (lastFactor ?? 1) };
    else short.push(step.kind === 'double' ? { kind: 'multiply', by: 2 } : step);
  }
  return short.filter(
    (step) => !(step.kind === 'add' && step.by === 0) && !(step.kind === 'multiply' && step.by === 1),
  );
}

/** What an operation makes of `value`, in a sequence where `previous` comes before the last number; a half is rounded down. */
export function apply(step: Step, value: number, previous: number): number {
  switch (step.kind) {
    case 'add':
      return value + step.by;
    case 'multiply':
      return value * step.by;
    case 'square':
      return value * value;
    case 'double':
      return value * 2;
    case 'halve':
      return Math.floor(value / 2);
    case 'previous':
      return value + previous;
    case 'none':
      return value;
  }
}

const plus = (number: number): string => (number < 0 ? `${number}` : `+${number}`);

/** What is done to `value`: `+6`, `*-3`, `/2`. */
export function written(step: Step, value: number, previous: number): string {
  switch (step.kind) {
    case 'add':
      return plus(step.by);
    case 'multiply':
      return `*${step.by}`;
    case 'square':
      return `*${value}`;
    case 'double':
      return '*2';
    case 'halve':
      return '/2';
    case 'previous':
      return plus(previous);
    case 'none':
      return '';
  }
}

/** What follows `value` by all of a rule. */
export const follow = (rule: readonly Step[], value: number, previous: number): number =>
  rule.reduce((result, step) => apply(step, result, previous), value);
