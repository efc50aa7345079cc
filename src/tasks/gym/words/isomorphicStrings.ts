import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { defineGymTask, real, whole } from '../shared/define.ts';
import { LETTERS } from './wordLists.ts';

type Meeting = 'new' | 'same' | 'clash';

/** The relation of each pair of letters to those before it, up to the first clash. */
function meetings(s: string, t: string): { pair: string; meeting: Meeting }[] {
  const [forth, back] = [new Map<string, string>(), new Map<string, string>()];
  const found: { pair: string; meeting: Meeting }[] = [];
  for (const [i, from] of Array.from(s).entries()) {
    const to = t.charAt(i);
    const [mapped, source] = [forth.get(from), back.get(to)];
    const meeting = mapped === undefined && source === undefined ? 'new' : mapped === to ? 'same' : 'clash';
    found.push({ pair: from + to, meeting });
    if (meeting === 'clash') break;
    forth.set(from, to);
    back.set(to, from);
  }
  return found;
}

/** Draws isomorphic strings of one letter fewer than asked for; if not `solvable`, one letter more breaks them. */
function drawStrings(draw: Draw, length: number, solvable: boolean): [string, string] {
  const mapping = new Map<string, string>();
  const s = Array.from({ length: length - 1 }, () => pick(draw, LETTERS));
  const t = s.map((letter) => {
    const taken = new Set(mapping.values());
    const free = LETTERS.filter((other) => !taken.has(other));
    const to = mapping.get(letter) ?? pick(draw, free);
    mapping.set(letter, to);
    return to;
  });
  if (!solvable) {
    const letter = pick(draw, [...mapping.keys()]);
    const taken = mapping.get(letter);
    const others = LETTERS.filter((other) => other !== taken);
    const conflict = pick(draw, others);
    const place = uniformInt(draw, 0, s.length);
    s.splice(place, 0, letter);
    t.splice(place, 0, conflict);
  }
  return [s.join(''), t.join('')];
}

const SIGNS: Readonly<Record<Meeting, string>> = { new: '+', same: '=', clash: '!' };

const lengthHelp = (which: string) => `Letters of the ${which} strings; true ones have one fewer.`;

export const isomorphicStrings = defineGymTask({
  name: 'isomorphic_strings',
  title: 'Isomorphic strings',
  summary: 'Decide whether renaming the letters of one string gives the other.',
  family: 'words',
  fields: {
    min_string_length: whole('Shortest string', lengthHelp('shortest'), 2, 100, 2),
    max_string_length: whole('Longest string', lengthHelp('longest'), 2, 100, 10),
    p_solvable: real('Share of true ones', 'How many of the pairs are isomorphic.', 0, 1, 0.5),
  },
  levels: [
    { min_string_length: 3, max_string_length: 4 },
    { min_string_length: 3, max_string_length: 6 },
    { max_string_length: 8 },
    {},
    { min_string_length: 10, max_string_length: 50 },
  ],
  space: ({ max_string_length, p_solvable }) =>
    p_solvable === 1 && max_string_length === 2 ? LETTERS.length ** 2 : null,
  draw(draw, { min_string_length, max_string_length, p_solvable }) {
    const length = uniformInt(draw, min_string_length, max_string_length);
    const solvable = draw() < p_solvable;
    const words = drawStrings(draw, length, solvable);
    const [s, t] = words;
    return {
      question: `Two strings are isomorphic if replacing the letters of the first gives the second: every occurrence of a letter is replaced by the same letter, the order stays, and no two different letters become the same one. A letter may be replaced by itself.\n\nAnswer True if these two strings are isomorphic, else False:\n${s} ${t}`,
      compact: `isomorphic_strings ${s} ${t}`,
      key: `${s} ${t}`,
      answer: solvable ? 'True' : 'False',
      data: { words, solution: solvable, solvable, string_length: length },
    };
  },
  /** Each pair of letters is marked as new, the same as before, or a clash. */
  steps: ({ data: { words } }) =>
    meetings(...words)
      .map(({ pair, meeting }) => `${pair}${SIGNS[meeting]}`)
      .join(' '),
});
