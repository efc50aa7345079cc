import * as z from 'zod';
import { whole } from '../fields.ts';
import { pick, uniformInt } from '../random.ts';
import { defineGymTask } from './define.ts';
import { textScore } from './scoring.ts';
import { outOfOrder } from './settings.ts';

interface Config extends Record<string, number> {
  readonly min_terms: number;
  readonly max_terms: number;
  readonly max_complexity: number;
}

const metadata = z.looseObject({ sequence: z.array(z.number()).optional(), rule: z.string().optional() });
type Metadata = z.output<typeof metadata>;

/** One operation of a rule; upstream has two more that change nothing, `none` here. */
type Step =
  | { readonly kind: 'add' | 'multiply'; readonly by: number }
  | { readonly kind: 'square' | 'double' | 'halve' | 'previous' | 'none' };

const KINDS = ['add', 'multiply', 'square', 'double', 'halve', 'previous', 'none', 'none'] as const;
/** Larger numbers make a sequence dull. */
const MOST = 1000;
const ATTEMPTS = 10;

const WORDS: Readonly<Record<Step['kind'], string>> = {
  add: 'add',
  multiply: 'multiply by',
  square: 'square',
  double: 'double',
  halve: 'halve',
  previous: 'add previous',
  none: '',
};

function describeRule(rule: readonly Step[]): string {
  return rule
    .filter(({ kind }) => kind !== 'none')
    .map((step) => `${WORDS[step.kind]}${'by' in step ? ` ${step.by}` : ''}`)
    .join(' then ');
}

function drawRule(draw: () => number, complexity: number): Step[] {
  return Array.from({ length: uniformInt(draw, 1, complexity + 1) }, () => {
    const kind = pick(draw, KINDS);
    if (kind !== 'add' && kind !== 'multiply') return { kind };
    const amount = uniformInt(draw, 1, 20);
    return { kind, by: amount > 10 ? 10 - amount : amount };
  });
}

/** What follows `value`, before which comes `previous`; a half is rounded down. */
function follow(rule: readonly Step[], value: number, previous: number): number {
  let result = value;
  for (const step of rule) {
    if (step.kind === 'add') result += step.by;
    else if (step.kind === 'multiply') result *= step.by;
    else if (step.kind === 'square') result *= result;
    else if (step.kind === 'double') result *= 2;
    else if (step.kind === 'halve') result = Math.floor(result / 2);
    else if (step.kind === 'previous') result += previous;
  }
  return result;
}

/** The sequence with its answer at the end; null where it is dull: too large, constant, or too regular for its complexity. */
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

/** The next number of a sequence. */
export const numberSequence = defineGymTask<Config, Metadata>({
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
  starter: null,
  metadata,
  checkConfig: (config) => outOfOrder(config, [['min_terms', 'max_terms']]),
  draw(draw, config) {
    const complexity = uniformInt(draw, 1, config.max_complexity);
    let terms = config.min_terms;
    let rule: Step[] = [{ kind: 'add', by: 2 }];
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
  scoreAnswer: (candidate, { answer }, mode) => textScore(candidate, answer ?? '', mode),
});
