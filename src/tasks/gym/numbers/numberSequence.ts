import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';

/** An operation of the rule by which each number follows from those before it. `none` stands for upstream's two that change nothing. */
type Step =
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
function describeRule(rule: readonly Step[]): string {
  return rule
    .filter(({ kind }) => kind !== 'none')
    .map((step) => `${WORDS[step.kind]}${'by' in step ? ` ${step.by}` : ''}`)
    .join(' then ');
}

/** Reads the text of `describeRule`. */
function readRule(text: string): Step[] {
  return text.split(' then ').flatMap((part): Step[] => {
    const [, words = '', number] = /^(.*?)(?: (-?\d+))?$/.exec(part) ?? [];
    const kind = KINDS.find((each) => WORDS[each] === words);
    if (kind === undefined || kind === 'none') return [];
    return [kind === 'add' || kind === 'multiply' ? { kind, by: Number(number) } : { kind }];
  });
}

/** Draws at most `complexity` + 1 operations. */
function drawRule(draw: Draw, complexity: number): Step[] {
  return Array.from({ length: uniformInt(draw, 1, complexity + 1) }, () => {
    const kind = pick(draw, KINDS);
    if (kind !== 'add' && kind !== 'multiply') return { kind };
    const amount = uniformInt(draw, 1, 20);
    return { kind, by: amount > 10 ? 10 - amount : amount };
  });
}

/** The rule with neighbouring sums, and neighbouring products, taken together: what the numbers of a sequence can tell. */
function shortenRule(rule: readonly Step[]): Step[] {
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

const plus = (number: number): string => (number < 0 ? `${number}` : `+${number}`);

/**
 * Applies an operation to `value` and writes it as `+6`, `*-3` or `/2`. `previous` comes before the last number of the sequence. A half is
 * rounded down.
 */
function apply(step: Step, value: number, previous: number): { result: number; written: string } {
  if (step.kind === 'add') return { result: value + step.by, written: plus(step.by) };
  if (step.kind === 'multiply') return { result: value * step.by, written: `*${step.by}` };
  if (step.kind === 'square') return { result: value * value, written: `*${value}` };
  if (step.kind === 'double') return { result: value * 2, written: '*2' };
  if (step.kind === 'halve') return { result: Math.floor(value / 2), written: '/2' };
  if (step.kind === 'previous') return { result: value + previous, written: plus(previous) };
  return { result: value, written: '' };
}

/** The number that follows `value` by a rule. */
const follow = (rule: readonly Step[], value: number, previous: number): number =>
  rule.reduce((last, step) => apply(step, last, previous).result, value);

/** A sequence with larger numbers is dull. */
const MOST = 1000;
const ATTEMPTS = 10;

/** A sequence with its answer at the end, or null if it is too large, constant, or too regular for its complexity. */
function build(rule: readonly Step[], start: number, terms: number, complexity: number): number[] | null {
  const sequence = [start];
  for (let i = 0; i < terms; i++) {
    const next = follow(rule, sequence[i] ?? 0, sequence[i - 1] ?? 0);
    if (!(Math.abs(next) <= MOST)) return null;
    // No −0.
    sequence.push(next + 0);
  }
  if (new Set(sequence).size === 1) return null;
  const differences = new Set(sequence.slice(1).map((value, i) => value - (sequence[i] ?? 0)));
  return complexity > 1 && differences.size === 1 ? null : sequence;
}

export const numberSequence = defineGymTask({
  name: 'number_sequence',
  title: 'Number sequence',
  summary: 'Continue a sequence of numbers by its rule.',
  family: 'numbers',
  fields: {
    min_terms: whole('Fewest terms', 'Fewest numbers shown.', 4, 20, 4),
    max_terms: whole('Most terms', 'Most numbers shown.', 4, 20, 8),
    max_complexity: whole('Most complexity', 'A rule has one operation more at most.', 1, 6, 3),
  },
  levels: [
    { min_terms: 6, max_complexity: 1 },
    { max_complexity: 1 },
    { max_complexity: 2 },
    {},
    { max_complexity: 4 },
  ],
  draw(draw, config) {
    const complexity = uniformInt(draw, 1, config.max_complexity);
    let terms = config.min_terms;
    let rule: Step[] = [];
    let sequence: number[] | null = null;
    for (let attempt = 0; attempt < ATTEMPTS && sequence === null; attempt++) {
      rule = drawRule(draw, complexity);
      terms = uniformInt(draw, config.min_terms, config.max_terms);
      sequence = build(rule, uniformInt(draw, -10, 10), terms, complexity);
    }
    if (sequence === null) {
      rule = [{ kind: 'add', by: 2 }];
      sequence = Array.from({ length: terms + 1 }, (_, i) => 2 * i);
    }
    const shown = sequence.slice(0, -1).join(', ');
    return {
      question: `${shown}, ?`,
      compact: `number_sequence ${shown}`,
      answer: `${sequence.at(-1)}`,
      data: { rule: describeRule(rule), complexity, sequence },
    };
  },
  /** The rule, then what it makes of the last number shown: `multiply by 2 then add 3: 5*2=10, 10+3=13`. */
  steps({ data: { sequence, rule } }) {
    const previous = sequence.at(-3) ?? 0;
    let value = sequence.at(-2) ?? 0;
    const short = shortenRule(readRule(rule));
    const lines = short.map((step) => {
      const before = value;
      const { result, written } = apply(step, before, previous);
      value = result + 0;
      return `${before}${written}=${value}`;
    });
    return `${describeRule(short)}: ${lines.join(', ')}`;
  },
});
