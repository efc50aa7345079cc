import * as z from 'zod';
import { whole } from '../../fields.ts';
import { uniformInt } from '../../../base/random.ts';
import { defineGymTask } from '../shared/define.ts';
import { nearbyNumber } from '../shared/mistakes.ts';
import {
  apply,
  describeRule,
  drawRule,
  follow,
  readRule,
  shortenRule,
  written,
  type Step,
} from './sequenceRule.ts';

/** Larger numbers make a sequence dull. */
const MOST = 1000;
const ATTEMPTS = 10;

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
  metadata: z.looseObject({
    sequence: z.array(z.number()).optional(),
    rule: z.string().optional(),
  }),
  ordered: [['min_terms', 'max_terms']],
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
  /** The rule, then what it makes of the last number shown: `multiply by 2 then add 3: 5*2=10, 10+3=13`. */
  steps({ metadata: { sequence = [], rule = '' } }) {
    const previous = sequence.at(-3) ?? 0;
    let value = sequence.at(-2) ?? 0;
    const short = shortenRule(readRule(rule));
    const lines = short.map((step) => {
      const before = value;
      value = apply(step, value, previous) + 0;
      return `${before}${written(step, before, previous)}=${value}`;
    });
    return `${describeRule(short)}: ${lines.join(', ')}`;
  },
  wrongAnswer: ({ answer }, draw) => nearbyNumber(draw, answer),
});
