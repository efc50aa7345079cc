/** Short requests about two hundred subjects. A subject is asked in training or held out, never both, because it decides the split. */
import { pick, type Draw } from '@rl-playground/base/random';

const list = (text: string): readonly string[] => text.trim().split(/,\s+/);

/** Subjects that can be seen. */
export const THINGS = list(`
bread, cheese, honey, chocolate, an apple, a lemon, a tomato, an onion, ice cream, the moon, the sun, a star, a comet,
a rainbow, a cloud, a mountain, a volcano, a river, a lake, an island, a beach, a forest, a cave, a waterfall, a cat, a dog,
a horse, a cow, a goat, a rabbit, an elephant, a giraffe, a lion, a wolf, a fox, a bear, a whale, a dolphin, a shark,
an octopus, a penguin, an owl, an eagle, a parrot, a bee, an ant, a butterfly, a spider, a snake, a frog, a turtle,
a dinosaur, a rose, a sunflower, an oak tree, a mushroom, a garden, a castle, a bridge, a lighthouse, a tower, a windmill,
a bicycle, a train, a bus, a ship, a sailing boat, a canoe, an aeroplane, a helicopter, a hot-air balloon, a rocket, a robot,
a computer, a telephone, a camera, a clock, a compass, a map, a telescope, a microscope, a mirror, a lamp, a candle, a key,
a ladder, a hammer, an umbrella, a backpack, a hat, a piano, a guitar, a violin, a drum, a newspaper, a postcard
`);

const SUBJECTS = [
  ...THINGS,
  ...list(`
rice, salt, coffee, tea, soup, garlic, breakfast, cooking, baking, a restaurant, a picnic, snow, rain, thunder, the wind,
winter, spring, summer, autumn, a desert, the sea, a jungle, a glacier, the North Pole, bamboo, grass, a farm, a village,
a big city, a library, a museum, a theatre, a school, a hospital, a market, a train station, an airport, a harbour,
a satellite, television, radio, wool, cotton, silk, leather, glass, paper, steel, gold, silver, plastic, concrete, music,
singing, dancing, painting, drawing, photography, poetry, a novel, a diary, a letter, a dictionary, handwriting, chess,
a jigsaw puzzle, a crossword, football, tennis, swimming, running, cycling, climbing, skiing, sailing, fishing, hiking,
camping, yoga, sleep, dreaming, laughter, friendship, patience, courage, honesty, curiosity, memory, silence, luck, money,
a bank, insurance, an election, a law, a passport, a holiday, a birthday, a wedding, a festival, a joke, a secret, a promise,
a job interview, teamwork, homework, learning a language, mathematics, geometry, history, geography, physics, chemistry,
biology, astronomy, medicine, a vaccine, the heart, the brain, the skin, electricity, a magnet, gravity, sound, light, water,
fire, ice, air, energy, solar power, recycling, the internet, a password, a video game, an alphabet
`),
];

const TEMPLATES: readonly ((subject: string) => string)[] = [
  (subject) => `Tell me one fact about ${subject}.`,
  (subject) => `Explain to a child what ${subject} is.`,
  (subject) => `What is ${subject}?`,
  (subject) => `Why do some people like ${subject}?`,
  (subject) => `Give me one good reason to learn about ${subject}.`,
  (subject) => `Write something short about ${subject}.`,
  (subject) => `What comes to mind when you think of ${subject}?`,
  (subject) => `What makes ${subject} special?`,
  (subject) => `What do people often get wrong about ${subject}?`,
  (subject) => `Say briefly why ${subject} matters.`,
];

export const drawSubject = (draw: Draw): string => pick(draw, SUBJECTS);

export const drawRequest = (draw: Draw, subject: string): string => pick(draw, TEMPLATES)(subject);
