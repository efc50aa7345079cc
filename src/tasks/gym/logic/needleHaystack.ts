import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';
import { sameWords } from '../shared/scoring.ts';

const FIRST_NAMES =
  'Abel Aisha Alba Alma Amos Anika Anselm Arlo Astrid Aubrey Basil Bertha Bianca Bjorn Bram Bruno Callum Casper Celia Chiara Cosmo Cyrus Dagmar Dalia Damon Darius Delia Dexter Dora Duncan Edda Edwin Eileen Elias Elin Elmer Elvira Emil Enid Enzo Ernest Esme Eva Ewan Fabian Farid Fatima Felicia Fergus Fiona Flavio Freya Fritz Gareth Gemma Gilbert Gina Greta Gustav Gwen Hamid Harriet Heidi Hector Hilda Horace Hugh Ilse Imani Ines Irma Ismael Ivo Ivy Jamal Janet Jasper Joan Johan Jonas Josie Joyce Juan June Kaspar Katya Keiko Kendra Kenji Kiran Klara Knut Lars Layla Leo Leroy Lina Lionel Lorenz Lotte Lucia Luther Lydia Mabel Magnus Malik Manuel Marcel Marta Maud Maya Mehdi Mercy Milan Mina Miriam Moses Nadia Naomi Nelson Nigel Nils Noel Odette Olaf Omar Opal Orla Otto Pablo Paula Pearl Percy Petra Pia Quentin Ramon Raoul Regina Renata Rex Rhoda Rolf Roman Rufus Sabine Salim Samira Saul Selma Sergio Sigrid Silas Simone Stefan Stella Sven Tamara Tariq Tessa Tilda Tobias Udo Una Ursula Valerie Vincent Viola Wanda Warren Wilma Xenia Yasmin Yusuf Yves Zara Zelda';

export const NAMES: readonly string[] = FIRST_NAMES.split(' ');

const list = (text: string): readonly string[] => text.split(', ');

export const VERBS = list(
  'loves, likes, enjoys, adores, treasures, praises, recommends, welcomes, is fond of, is mad about, is proud of, is curious about, dreams of, longs for, raves about, cannot live without, takes pleasure in, has a passion for, has a weakness for, is never tired of, approves of, believes in, looks forward to, feels at ease with, takes an interest in, puts up with, shrugs at, is indifferent to, has no opinion on, hardly notices, is unsure about, is bored by, avoids, dislikes, hates, despises, detests, loathes, dreads, fears, resents, mocks, curses, regrets, complains about, is tired of, is wary of, is afraid of, is allergic to, cannot stand, cannot abide, has no patience for, grumbles about, turns away from, makes fun of, is suspicious of, objects to, warns against, gave up on, stays away from',
);

export const THINGS = list(
  'alpine skiing, ancient coins, antique clocks, apple pie, archery, baking bread, ballet, bamboo, banjo music, baseball, bees, beetles, birdwatching, black tea, board games, bonsai trees, bookbinding, bowling, brass bands, bread and butter, bus rides, butterflies, cactuses, camels, camping, candles, canoes, card tricks, carpentry, castles, cellos, chess, chestnuts, chili peppers, choir practice, cider, cleaning windows, climbing walls, cloudy days, coffee, collecting stamps, comic books, cooking, crickets, crossword puzzles, cycling, dancing, darts, deserts, detective stories, doing the laundry, dolphins, doughnuts, driving at night, drums, early mornings, earthworms, electric cars, elephants, embroidery, fairy tales, fencing, ferries, fireworks, fishing, flea markets, flutes, folk songs, fountain pens, foxes, french toast, frogs, garden gnomes, garlic, geese, ginger, glaciers, goats, gold rings, green paint, guitars, gymnastics, hammocks, harbors, hats, hedgehogs, herbs, hiking, horror films, horses, hot springs, ice cream, insects, ironing shirts, islands, jazz, jogging, juggling, karate, kites, knitting, lakes, lemonade, libraries, lighthouses, lizards, long meetings, magnets, maps, marathons, meadows, melons, mending socks, mirrors, modern art, moths, motorcycles, mountains, mowing the lawn, mushrooms, new shoes, noodles, oil paintings, old bridges, olives, onions, opera, orange juice, orchids, origami, owls, packing suitcases, pancakes, parades, parrots, peeling potatoes, penguins, photography, pianos, picnics, pigeons, pine trees, pirates, poetry, pottery, pumpkins, puppets, purple curtains, rabbits, radio plays, railways, rain, raspberries, rice pudding, riddles, roller coasters, rowing, running errands, sailing, sandals, saxophones, sculpture, seagulls, sewing, sharks, shopping, silence, silver spoons, singing, skating, snails, snow, soap operas, spiders, spring cleaning, squirrels, steam engines, storms, strawberries, street food, submarines, sunflowers, surfing, swans, sweeping the floor, swimming, talk shows, tango, taxes, telescopes, tennis, theater, thunder, tigers, tulips, turtles, typewriters, umbrellas, valleys, velvet, video games, violins, volcanoes, volleyball, waffles, waltzes, washing the dishes, waterfalls, weddings, whales, windmills, wolves, woodwork, writing letters, yoga, zebras',
);

/** `count` different likings: no two statements share both verb and thing, so one name is the answer. */
function drawLikings(draw: Draw, count: number): string[] {
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
  scoreAnswer: (candidate, { answer }, mode) =>
    sameWords(mode === 'upstream' ? candidate.replaceAll(' ', '') : candidate, answer) ? 1 : 0,
  steps: ({ data: { statement } }) => statement,
});
