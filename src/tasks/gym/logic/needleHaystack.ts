import * as z from 'zod';
import { whole } from '../../fields.ts';
import { stripSpace } from '../../python/text.ts';
import { pick, uniformInt } from '../../../base/random.ts';
import { defineGymTask } from '../shared/define.ts';
import { NAMES, THINGS, VERBS } from './likings.ts';

/** `count` different likings: no two statements share both verb and thing, so one name is the answer. */
function drawLikings(draw: () => number, count: number): string[] {
  const all = VERBS.length * THINGS.length;
  const taken = new Set<number>();
  for (let i = 0; i < count; i++) {
    let place = uniformInt(draw, 0, all - 1);
    while (taken.has(place)) place = (place + 1) % all;
    taken.add(place);
  }
  return Array.from(
    taken,
    (place) => `${VERBS[place % VERBS.length]} ${THINGS[Math.floor(place / VERBS.length)]}`,
  );
}

/** Many statements about who likes what, and a question about one. */
export const needleHaystack = defineGymTask({
  name: 'needle_haystack',
  title: 'Needle in a haystack',
  summary: 'Find the one statement among many that answers a question.',
  family: 'logic',
  fields: {
    min_num_statements: whole('Fewest statements', 'Statements of the shortest texts.', 1, 2000, 10),
    max_num_statements: whole('Most statements', 'Statements of the longest texts.', 1, 2000, 100),
  },
  levels: [
    { min_num_statements: 2, max_num_statements: 4 },
    { min_num_statements: 4, max_num_statements: 10 },
    { max_num_statements: 30 },
    {},
    { min_num_statements: 100, max_num_statements: 400 },
  ],
  ordered: [['min_num_statements', 'max_num_statements']],
  metadata: z.looseObject({ statement: z.string().optional() }),
  draw(draw, { min_num_statements, max_num_statements }) {
    const likings = drawLikings(draw, uniformInt(draw, min_num_statements, max_num_statements));
    const statements = likings.map((liking) => ({ name: pick(draw, NAMES), liking }));
    const { name, liking } = pick(draw, statements);
    const text = statements.map((statement) => `${statement.name} ${statement.liking}.`).join(' ');
    const question = `Who ${liking}? Answer with the name only.`;
    return {
      question: `${text}\n\n${question}`,
      answer: name,
      data: { question, num_statements: likings.length, statement: `${name} ${liking}.` },
    };
  },
  scoreAnswer(candidate, { answer }, mode) {
    if (candidate === null) return 0;
    const given = mode === 'upstream' ? candidate.replaceAll(' ', '') : candidate;
    return stripSpace(given).toLowerCase() === stripSpace(answer).toLowerCase() ? 1 : 0;
  },
  steps: ({ metadata: { statement = '' } }) => statement,
});
