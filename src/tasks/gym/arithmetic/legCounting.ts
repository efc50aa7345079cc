import { choose, sumOver } from '../../define/wholeNumbers.ts';
import { uniformInt, type Draw } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';

/** Animals by the number of their legs: reasoning-gym's table. */
const BY_LEGS: readonly (readonly [legs: number, animals: string])[] = [
  [0, 'snake, sea slug, jellyfish, flatworm, leech'],
  [2, 'chicken, bird, human, duck'],
  [4, 'dog, cat, cow, horse, lion, elephant, giraffe, tiger, deer, sheep'],
  [5, 'starfish'],
  [6, 'insect, ant, butterfly, beetle, bee, wasp, grasshopper, cricket, cockroach, praying mantis, firefly'],
  [8, 'spider, scorpion'],
  [10, 'crab, lobster, shrimp'],
  [14, 'woodlouse'],
];
const ANIMALS: Readonly<Record<string, number>> = Object.fromEntries(
  BY_LEGS.flatMap(([legs, animals]) => animals.split(', ').map((animal) => [animal, legs] as const)),
);

/** Plurals that are more than the name and an s. */
const PLURALS: Readonly<Record<string, string>> = {
  jellyfish: 'jellyfish',
  leech: 'leeches',
  deer: 'deer',
  sheep: 'sheep',
  starfish: 'starfish',
  butterfly: 'butterflies',
  cockroach: 'cockroaches',
  'praying mantis': 'praying mantises',
  firefly: 'fireflies',
  shrimp: 'shrimp',
  woodlouse: 'woodlice',
};

/** Legs of one animal of that name; 0 for an unknown one. */
function legsOf(name: string): number {
  return Object.hasOwn(ANIMALS, name) ? (ANIMALS[name] ?? 0) : 0;
}

/** `1 dog`, `2 dogs`, `3 sheep`. */
function severalOf(count: number, name: string): string {
  return `${count} ${count === 1 ? name : (PLURALS[name] ?? `${name}s`)}`;
}

/** `count` of the animals, in an order drawn. */
function drawAnimals(draw: Draw, count: number): string[] {
  const names = Object.keys(ANIMALS);
  return Array.from({ length: count }, () => names.splice(uniformInt(draw, 0, names.length - 1), 1)).flat();
}

export const legCounting = defineGymTask({
  name: 'leg_counting',
  title: 'Leg counting',
  summary: 'Count the legs of a group of animals, such as 3 dogs and 2 spiders.',
  family: 'arithmetic',
  fields: {
    min_animals: whole('Fewest kinds', 'Fewest kinds of animals in a group.', 1, 37, 3),
    max_animals: whole('Most kinds', 'Most kinds of animals in a group.', 1, 37, 10),
    min_instances: whole('Fewest of a kind', 'Fewest animals of one kind.', 1, 1000, 1),
    max_instances: whole('Most of a kind', 'Most animals of one kind.', 1, 1000, 15),
  },
  levels: [1, 2, 3, 4, 5, 6].map((animals) => ({ min_animals: animals, max_animals: animals })),
  space({ min_animals, max_animals, min_instances, max_instances }) {
    const [animals, counts] = [Object.keys(ANIMALS).length, max_instances - min_instances + 1];
    return sumOver(min_animals, max_animals, (kinds) => choose(animals, kinds) * counts ** kinds);
  },
  draw(draw, config) {
    const kinds = drawAnimals(draw, uniformInt(draw, config.min_animals, config.max_animals));
    const entries = kinds.map((name) => ({
      name,
      count: uniformInt(draw, config.min_instances, config.max_instances),
    }));
    const legs = entries.reduce((sum, { name, count }) => sum + count * legsOf(name), 0);
    return {
      question: `How many legs do these animals have altogether: ${entries.map(({ name, count }) => severalOf(count, name)).join(', ')}? (Two ducks and one spider have 12.) Answer with the number alone.`,
      compact: `leg_counting ${entries.map(({ name, count }) => `${count} ${name}`).join(', ')}`,
      key: entries
        .map(({ name, count }) => `${name} ${count}`)
        .toSorted()
        .join(','),
      answer: `${legs}`,
      data: { animals: Object.fromEntries(entries.map(({ name, count }) => [name, count])) },
    };
  },
  /** `dog 3*4=12, spider 2*8=16 28`: the legs of each kind, then of all so far. */
  steps({ data: { animals } }) {
    let sum = 0;
    return Object.entries(animals)
      .map(([name, count], i) => {
        const legs = count * legsOf(name);
        sum += legs;
        return `${name} ${count}*${legsOf(name)}=${legs}${i === 0 ? '' : ` ${sum}`}`;
      })
      .join(', ');
  },
});
