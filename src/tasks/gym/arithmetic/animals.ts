/** Animals and their legs: reasoning-gym's table. */

export const ANIMALS: Readonly<Record<string, number>> = {
  snake: 0,
  'sea slug': 0,
  jellyfish: 0,
  flatworm: 0,
  leech: 0,
  chicken: 2,
  bird: 2,
  human: 2,
  duck: 2,
  dog: 4,
  cat: 4,
  cow: 4,
  horse: 4,
  lion: 4,
  elephant: 4,
  giraffe: 4,
  tiger: 4,
  deer: 4,
  sheep: 4,
  starfish: 5,
  insect: 6,
  ant: 6,
  butterfly: 6,
  beetle: 6,
  bee: 6,
  wasp: 6,
  grasshopper: 6,
  cricket: 6,
  cockroach: 6,
  'praying mantis': 6,
  firefly: 6,
  spider: 8,
  scorpion: 8,
  crab: 10,
  lobster: 10,
  shrimp: 10,
  woodlouse: 14,
};

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
export function legsOf(name: string): number {
  return Object.hasOwn(ANIMALS, name) ? (ANIMALS[name] ?? 0) : 0;
}

/** `1 dog`, `2 dogs`, `3 sheep`. */
export function severalOf(count: number, name: string): string {
  return `${count} ${count === 1 ? name : (PLURALS[name] ?? `${name}s`)}`;
}
