import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';
import { sameWords } from '../shared/scoring.ts';

interface Person {
  readonly name: string;
  readonly female: boolean;
  spouse: Person | null;
  readonly parents: Person[];
  readonly children: Person[];
}

type Couple = readonly [husband: Person, wife: Person];

const MALE_NAMES =
  'Adam Albert Anton Arthur Ben Boris Carl Cedric Colin Dennis Derek Edgar Eric Felix Frank Fred Gavin Gordon Graham Hugo Ian Isaac Ivan Jason Joel Julian Kevin Kurt Leon Louis Marcus Martin Max Neil Norman Oscar Patrick Paul Philip Ralph Simon Victor Walter';
const FEMALE_NAMES =
  'Ada Agnes Angela Beatrice Bella Carla Carmen Cecilia Clara Daisy Diana Doris Edith Elsa Erica Esther Flora Frida Gloria Helen Ida Ingrid Irene Iris Jane Judith Julia Laura Lena Louise Maria Martha Monica Nina Nora Olga Pamela Rita Rosa Ruth Sylvia Vera Wendy';
const NAMES = { male: MALE_NAMES.split(' '), female: FEMALE_NAMES.split(' ') } as const;

/** The largest family that has a name for every member, whatever their sexes. */
const MOST_MEMBERS = 40;

/**
 * Draws parents and the father's parents. The mother's parents come from 7 members on, an uncle and his wife from 9, an aunt and her
 * husband from 11; the rest are children of the middle generation.
 */
function drawFamily(draw: Draw, size: number) {
  const people: Person[] = [];

  function add(female: boolean, parents: readonly Person[] = []): Person {
    const free = NAMES[female ? 'female' : 'male'].filter((name) =>
      people.every((other) => other.name !== name),
    );
    const person: Person = {
      name: pick(draw, free),
      female,
      spouse: null,
      parents: [...parents],
      children: [],
    };
    for (const parent of parents) parent.children.push(person);
    people.push(person);
    return person;
  }
  function marry(first: Person, second: Person): Couple {
    first.spouse = second;
    second.spouse = first;
    return [first, second];
  }

  const elders = marry(add(false), add(true));
  const inLaws = size > 6 ? marry(add(false), add(true)) : null;
  const father = add(false, elders);
  const middle = size > 3 ? [marry(father, add(true, inLaws ?? []))] : [];
  if (size > 8) middle.push(marry(add(false, elders), add(true)));
  if (size > 10) middle.push(marry(add(true, elders), add(false)));
  while (people.length < size) add(draw() < 0.5, pick(draw, middle));
  return { people, couples: [elders, ...middle, ...(inLaws === null ? [] : [inLaws])] };
}

/** Tells the marriages, and the children of each couple. */
function tellFamily(couples: readonly Couple[]): string {
  return couples
    .map(([first, second]) => {
      const names = first.children.map(({ name }) => name);
      const last = names.pop();
      const children =
        names.length === 0 ? `one child, ${last}` : `children named ${names.join(', ')} and ${last}`;
      return `${first.name} and ${second.name} are married${last === undefined ? '' : ` and have ${children}`}.`;
    })
    .join(' ');
}

const grandparents = (person: Person): Person[] => person.parents.flatMap(({ parents }) => parents);

/** The relation of `a` to `b`, or null for any other than these. */
function relationOf(a: Person, b: Person): string | null {
  const word = (female: string, male: string) => (a.female ? female : male);
  if (b.parents.includes(a)) return word('mother', 'father');
  if (a.parents.includes(b)) return word('daughter', 'son');
  if (a.spouse === b) return word('wife', 'husband');
  const [mine, others] = [new Set(a.parents), new Set(b.parents)];
  if (mine.size > 0 && mine.size === others.size && a.parents.every((parent) => others.has(parent)))
    return word('sister', 'brother');
  if (grandparents(b).includes(a)) return word('grandmother', 'grandfather');
  if (grandparents(b).some((elder) => mine.has(elder))) return word('aunt', 'uncle');
  if (grandparents(a).some((elder) => others.has(elder))) return word('niece', 'nephew');
  return b.spouse?.parents.includes(a) === true ? word('mother-in-law', 'father-in-law') : null;
}

const QUESTIONS: readonly ((a: string, b: string) => string)[] = [
  (a, b) => `What is ${a} to ${b}? Answer with nothing but the word for the relationship.`,
  (a, b) => `In what way is ${a} related to ${b}? Answer with one word.`,
  (a, b) => `Which relation does ${a} have to ${b}? A single word is the answer.`,
];

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
  draw(draw, { min_family_size, max_family_size }) {
    const { people, couples } = drawFamily(draw, uniformInt(draw, min_family_size, max_family_size));
    const related = people.flatMap((a) =>
      people.flatMap((b) => {
        const relationship = a === b ? null : relationOf(a, b);
        return relationship === null ? [] : [{ a: a.name, b: b.name, relationship }];
      }),
    );
    const { a, b, relationship } = pick(draw, related);
    const story = tellFamily(couples);
    return {
      question: `${story}\n\n${pick(draw, QUESTIONS)(a, b)}`,
      key: `${story} ${a} ${b}`,
      answer: relationship,
      data: { person1: a, person2: b, relationship, family_size: people.length, story },
    };
  },
  scoreAnswer: (candidate, { answer }) => (sameWords(candidate, answer) ? 1 : 0),
});
