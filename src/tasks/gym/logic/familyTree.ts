/** A family of three generations, and what two of its members are to each other. */
import { pick } from '../../../base/random.ts';

export interface Person {
  readonly name: string;
  readonly female: boolean;
  spouse: Person | null;
  readonly parents: Person[];
  readonly children: Person[];
}

type Couple = readonly [husband: Person, wife: Person];

/** In the order in which a story tells of them. */
export interface Family {
  readonly people: readonly Person[];
  readonly couples: readonly Couple[];
}

const MALE_NAMES =
  'Adam Albert Anton Arthur Ben Boris Carl Cedric Colin Dennis Derek Edgar Eric Felix Frank Fred Gavin Gordon Graham Hugo Ian Isaac Ivan Jason Joel Julian Kevin Kurt Leon Louis Marcus Martin Max Neil Norman Oscar Patrick Paul Philip Ralph Simon Victor Walter';
const FEMALE_NAMES =
  'Ada Agnes Angela Beatrice Bella Carla Carmen Cecilia Clara Daisy Diana Doris Edith Elsa Erica Esther Flora Frida Gloria Helen Ida Ingrid Irene Iris Jane Judith Julia Laura Lena Louise Maria Martha Monica Nina Nora Olga Pamela Rita Rosa Ruth Sylvia Vera Wendy';
const NAMES = { male: MALE_NAMES.split(' '), female: FEMALE_NAMES.split(' ') } as const;

/** The largest family that has a name for every member, whatever their sexes. */
export const MOST_MEMBERS = 40;

/**
 * Parents and the father's parents; from 7 members on the mother's parents too, from 9 on an uncle and his wife, from 11 on an aunt and
 * her husband. The rest are children of the couples of the middle generation.
 */
export function drawFamily(draw: () => number, size: number): Family {
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

/** Who is married to whom, and the children of each couple. */
export function tellFamily({ couples }: Family): string {
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

/** What `a` is to `b`; null for other relations than these. */
export function relationOf(a: Person, b: Person): string | null {
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
