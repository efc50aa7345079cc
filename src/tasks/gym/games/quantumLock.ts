import * as z from 'zod';
import { needed } from '../shared/attempts.ts';
import { defineGymTask, whole, type MetadataOf } from '../shared/define.ts';
import { stripSpace } from '../../python/text.ts';
import { pick, uniformInt, type Draw } from '@rl-playground/base/random';

const button = z.looseObject({
  name: z.string(),
  type: z.string(),
  value: z.number(),
  active_state: z.string(),
});
const metadata = () => ({
  target_value: z.number(),
  initial_value: z.number(),
  initial_state: z.string(),
  buttons: z.array(button),
});
type Button = z.output<typeof button>;
type Metadata = MetadataOf<typeof metadata>;

const OPERATIONS = ['add', 'subtract', 'multiply'] as const;
/** A light's chance of being the one that a button needs. */
const LIGHTS = ['any', 'any', 'any', 'any', 'green', 'green', 'red'] as const;
const NAMES = ['A', 'B', 'C'] as const;
const START = 0;
const [RED, GREEN, ANY] = ['red', 'green', 'any'] as const;
const MOST_ATTEMPTS = 1000;
/** The score of a sequence that leads to the target and is not the shortest. */
const DETOUR = 0.5;

const works = ({ active_state }: Button, light: string): boolean =>
  active_state === ANY || active_state === light;
const toggled = (light: string): string => (light === RED ? GREEN : RED);

function pressed({ type, value }: Button, number: number): number {
  if (type === 'add') return number + value;
  if (type === 'subtract') return number - value;
  return type === 'multiply' ? number * value : number;
}

function drawButtons(draw: Draw, difficulty: number): Button[] {
  const steps = difficulty >= 5 ? [2, 3] : [1, 2];
  const factors = difficulty >= 7 ? [2, 3] : [2];
  const buttons: Button[] = [];
  for (const name of NAMES) {
    for (let isNew = false; !isNew;) {
      const type = pick(draw, OPERATIONS);
      const value = pick(draw, type === 'multiply' ? factors : steps);
      const active_state = pick(draw, LIGHTS);
      const same = (other: Button) =>
        other.type === type && other.value === value && other.active_state === active_state;
      isNew = !buttons.some(same);
      if (isNew) buttons.push({ name, type, value, active_state });
    }
  }
  return buttons;
}

/** The shortest sequence of working buttons up to `longest` that leads to the target, or null. */
export function shortestSequence(
  buttons: readonly Button[],
  target: number,
  longest: number,
): string[] | null {
  // Farther numbers can't come back: only sums of at most 3 a step lead towards 0.
  const bound = Math.abs(target) + 3 * longest;
  const seen = new Set<string>();
  let reached: { number: number; light: string; path: string[] }[] = [
    { number: START, light: RED, path: [] },
  ];
  for (let length = 0; length <= longest; length++) {
    const next: typeof reached = [];
    for (const { number, light, path } of reached) {
      if (number === target) return path;
      if (seen.has(`${number} ${light}`) || Math.abs(number) > bound) continue;
      seen.add(`${number} ${light}`);
      for (const each of buttons)
        if (works(each, light))
          next.push({ number: pressed(each, number), light: toggled(light), path: [...path, each.name] });
    }
    reached = next;
  }
  return null;
}

function drawLock(draw: Draw, difficulty: number): { buttons: Button[]; target: number; path: string[] } {
  const error = `quantum_lock: none of ${MOST_ATTEMPTS} locks of difficulty ${difficulty} had a short solution; choose a lower difficulty.`;
  return needed(MOST_ATTEMPTS, error, () => {
    const buttons = drawButtons(draw, difficulty);
    const base = 5 + difficulty ** 1.5;
    const target = Math.max(
      8,
      Math.floor(base + uniformInt(draw, -Math.floor(base * 0.2), Math.floor(base * 0.3))),
    );
    const path = shortestSequence(buttons, target, Math.min(15, 6 + Math.floor(difficulty * 1.5)));
    return path === null ? null : { buttons, target, path };
  });
}

/** The number after a sequence. Buttons that don't work leave number and light as they are, or with `strictly` end it all: null. */
function outcome(data: Metadata, sequence: string, strictly: boolean): number | null {
  let [number, light] = [data.initial_value, data.initial_state];
  const buttons = new Map(data.buttons.map((each) => [each.name, each]));
  for (const name of sequence) {
    const each = buttons.get(name);
    if (each === undefined || !works(each, light)) {
      if (strictly) return null;
      continue;
    }
    number = pressed(each, number);
    light = toggled(light);
  }
  return number;
}

const letters = (text: string): string => text.toUpperCase().replace(/[^A-C]+/g, '');
const SEQUENCE = /^[A-Z](?:\s*(?:→|->|,)\s*[A-Z])*$/;

function score(candidate: string, truth: string, data: Metadata, mode: 'strict' | 'upstream'): number {
  const strictly = mode === 'strict';
  const text = stripSpace(candidate);
  if (strictly && !SEQUENCE.test(text)) return 0;
  const given = strictly ? text.replace(/[^A-Z]+/g, '') : letters(candidate);
  const wanted = letters(truth);
  if (given === wanted) return 1;
  if (outcome(data, given, strictly) !== data.target_value) return 0;
  return given.length === wanted.length ? 1 : DETOUR;
}

const operation = ({ type, value }: Button): string =>
  `${type.slice(0, 1).toUpperCase()}${type.slice(1)} ${value}`;

export const quantumLock = defineGymTask({
  name: 'quantum_lock',
  title: 'Quantum lock',
  summary: 'Press buttons in the right order to reach a number.',
  family: 'games',
  fields: { difficulty: whole('Difficulty', 'The hardest locks; easier ones are as frequent.', 1, 20, 10) },
  levels: [{ difficulty: 1 }, { difficulty: 3 }, { difficulty: 6 }, {}, { difficulty: 12 }],
  metadata,
  mayBeFew: ({ difficulty }) => difficulty <= 2,
  draw(draw, config) {
    const { buttons, target, path } = drawLock(draw, uniformInt(draw, 1, config.difficulty));
    const lines = buttons.map((each) => `${each.name}: ${operation(each)} (when ${each.active_state})`);
    return {
      question: `A lock shows a number and a light. Each of its buttons changes the number, some only while the light is red or green; each press turns the light from red to green or from green to red. Find the shortest sequence of buttons that brings the number to the target. Answer with the buttons in order and '→' between them, as in A → B → C.\n\nStart: ${START} (${RED})\nTarget: ${target}\nButtons:\n${lines.join('\n')}`,
      key: `${target}|${lines.join('|')}`,
      answer: path.join(' → '),
      data: { target_value: target, initial_value: START, initial_state: RED, buttons },
    };
  },
  scoreAnswer: (candidate, { answer, metadata: data }, mode) => score(candidate, answer, data, mode),
});
