import { whole } from '../../fields.ts';
import { stripSpace } from '../../python/text.ts';
import { pick, uniformInt } from '../../../base/random.ts';
import { defineGymTask } from '../shared/define.ts';
import { drawFamily, MOST_MEMBERS, relationOf, tellFamily } from './familyTree.ts';

const QUESTIONS: readonly ((a: string, b: string) => string)[] = [
  (a, b) => `What is ${a} to ${b}? Answer with nothing but the word for the relationship.`,
  (a, b) => `In what way is ${a} related to ${b}? Answer with one word.`,
  (a, b) => `Which relation does ${a} have to ${b}? A single word is the answer.`,
];

/** Marriages and children of a family, and a question about two of its members. */
export const familyRelationships = defineGymTask({
  name: 'family_relationships',
  title: 'Family relationships',
  summary: 'Say what one member of a family is to another, from who married whom and who their children are.',
  family: 'logic',
  fields: {
    min_family_size: whole('Smallest family', 'Members of the smallest families.', 3, MOST_MEMBERS, 4),
    max_family_size: whole('Largest family', 'Members of the largest families.', 3, MOST_MEMBERS, 8),
  },
  levels: [
    { min_family_size: 3, max_family_size: 4 },
    { max_family_size: 6 },
    {},
    { min_family_size: 6, max_family_size: 10 },
    { min_family_size: 9, max_family_size: 14 },
  ],
  ordered: [['min_family_size', 'max_family_size']],
  draw(draw, { min_family_size, max_family_size }) {
    const family = drawFamily(draw, uniformInt(draw, min_family_size, max_family_size));
    const { people } = family;
    const related = people.flatMap((a) =>
      people.flatMap((b) => {
        const relationship = a === b ? null : relationOf(a, b);
        return relationship === null ? [] : [{ a: a.name, b: b.name, relationship }];
      }),
    );
    const { a, b, relationship } = pick(draw, related);
    const story = tellFamily(family);
    return {
      question: `${story}\n\n${pick(draw, QUESTIONS)(a, b)}`,
      key: `${story} ${a} ${b}`,
      answer: relationship,
      data: { person1: a, person2: b, relationship, family_size: people.length, story },
    };
  },
  scoreAnswer(candidate, { answer }) {
    const [given, truth] = [candidate ?? '', answer].map((text) => stripSpace(text).toLowerCase());
    return candidate !== null && given === truth ? 1 : 0;
  },
});
