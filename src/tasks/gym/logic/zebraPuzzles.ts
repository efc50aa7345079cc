import { shuffled } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';
import { sameWords } from '../shared/scoring.ts';
import { drawClues, type Clue } from './zebraClues.ts';

interface Trait {
  readonly intro: string;
  /** The person with a value, in the words of a clue; `_` stands for the value. */
  readonly phrase: string;
  readonly values: readonly string[];
}

/** Reads a trait from a line of its introduction, its phrase and its values. */
function trait(line: string): Trait {
  const [intro = '', phrase = '', values = ''] = line.split(' | ');
  return { intro, phrase, values: values.split(', ') };
}

const NAMES = trait('Their names are | _ | Ada, Boris, Clara, Dennis, Edith, Felix, Gloria');
const TRAITS: readonly Trait[] = [
  'Each has a favorite color | the person who likes _ | red, green, blue, yellow, white, orange, purple',
  'Each keeps another animal | the owner of the _ | cat, dog, parrot, horse, rabbit, turtle, goat',
  'Each has a favorite drink | the person who drinks _ | tea, coffee, milk, cocoa, water, cider, lemonade',
  'Each has another lunch | the person who eats _ | soup, pizza, noodles, salad, rice, pancakes, stew',
  'Each grows other flowers | the person who grows _ | roses, tulips, lilies, daisies, asters, poppies, irises',
  'Each comes from another country | the person from _ | Norway, Japan, Kenya, Peru, Italy, Canada, India',
  'Each plays another instrument | the person who plays the _ | violin, piano, flute, drum, harp, trumpet, cello',
  'Each goes to work in another way | the person who travels by _ | bus, tram, train, bicycle, ferry, car, scooter',
  'Each collects something else | the collector of _ | stamps, coins, shells, maps, stones, masks, clocks',
].map(trait);

const HOUSES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh'];

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function clueText(clue: Clue, called: readonly string[]): string {
  const a = called[clue.a] ?? '';
  if (clue.kind === 'found') return capitalized(`${a} lives in the ${HOUSES[clue.house]} house.`);
  const b = called[clue.b] ?? '';
  const texts = {
    same: `${a} is ${b}.`,
    left: `${a} lives directly left of ${b}.`,
    next: `${a} and ${b} live next to each other.`,
  };
  return capitalized(texts[clue.kind]);
}

export const zebraPuzzles = defineGymTask({
  name: 'zebra_puzzles',
  title: 'Zebra puzzle',
  summary: 'Find out from clues about a row of houses who lives in the first one.',
  family: 'logic',
  fields: {
    num_people: whole('People', 'Houses in the row, one person in each.', 2, 7, 4),
    num_characteristics: whole('Traits', 'What is told of each person, the name included.', 2, 7, 4),
  },
  levels: [
    { num_people: 2, num_characteristics: 2 },
    { num_people: 3, num_characteristics: 2 },
    { num_people: 3, num_characteristics: 3 },
    {},
    { num_people: 5, num_characteristics: 5 },
    { num_people: 6, num_characteristics: 6 },
  ],
  draw(draw, { num_people, num_characteristics }) {
    const others = shuffled(draw, TRAITS).slice(0, num_characteristics - 1);
    const traits = [NAMES, ...others].map((each) => ({
      ...each,
      values: shuffled(draw, each.values).slice(0, num_people),
    }));
    const houseOf = traits.flatMap(({ values }) => shuffled(draw, [...values.keys()]));
    const called = traits.flatMap(({ phrase, values }) => values.map((value) => phrase.replace('_', value)));
    const all = traits.flatMap(({ values }) => values);
    const clues = drawClues(draw, houseOf, { houses: num_people, traits: num_characteristics });
    const list = clues.map((clue, i) => `${i + 1}. ${clueText(clue, called)}`).join('\n');
    const inHouse = (house: number) => all.filter((_, i) => houseOf[i] === house);
    const intros = traits.map(({ intro, values }) => `- ${intro}: ${values.join(', ')}`).join('\n');
    return {
      question: `${num_people} houses stand in a row, numbered 1 to ${num_people} from left to right. One person lives in each, and no two have anything in common.\n${intros}\n\n${list}\n\nWhat is the name of the person who lives in house 1? Answer with the name only.`,
      key: `${all.toSorted().join(' ')}: ${clues
        .map((clue) => clueText(clue, called))
        .toSorted()
        .join(' ')}`,
      answer: inHouse(0)[0] ?? '',
      data: {
        rows: [...HOUSES.slice(0, num_people).keys()].map((house) => inHouse(house).join(', ')),
        num_clues: clues.length,
        difficulty: { num_people, num_characteristics },
      },
    };
  },
  scoreAnswer(candidate, { answer }, mode) {
    if (mode === 'strict') return sameWords(candidate, answer) ? 1 : 0;
    const plain = (text: string) => text.toLowerCase().replaceAll('\n', '');
    return plain(candidate) === plain(answer) ? 1 : 0;
  },
  /** The people and things of each house. */
  steps: ({ data: { rows } }) => rows.map((row, i) => `House ${i + 1}: ${row}`).join('\n'),
});
