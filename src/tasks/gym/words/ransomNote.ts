import { pick, shuffled, uniformInt, type Draw } from '@rl-playground/base/random';
import { defineGymTask, real, whole } from '../shared/define.ts';
import { LETTERS, sortLetters } from './wordLists.ts';

function drawTexts(
  draw: Draw,
  noteLength: number,
  magazineLength: number,
  solvable: boolean,
): [note: string, magazine: string] {
  const note = Array.from({ length: noteLength }, () => pick(draw, LETTERS));
  const magazine = [...note];
  let letters = LETTERS;
  if (!solvable) {
    const missing = pick(draw, note);
    magazine.splice(magazine.indexOf(missing), 1);
    letters = LETTERS.filter((letter) => letter !== missing);
  }
  while (magazine.length < magazineLength) magazine.push(pick(draw, letters));
  return [shuffled(draw, note).join(''), shuffled(draw, magazine).join('')];
}

export const ransomNote = defineGymTask({
  name: 'ransom_note',
  title: 'Ransom note',
  summary: 'Decide whether a note can be made of the letters of a magazine, each used once.',
  family: 'words',
  fields: {
    min_note_length: whole('Shortest note', 'Letters of the shortest notes.', 1, 100, 1),
    max_note_length: whole('Longest note', 'Letters of the longest notes.', 1, 100, 10),
    min_magazine_length: whole('Shortest magazine', 'Letters of the shortest magazines.', 2, 200, 2),
    max_magazine_length: whole('Longest magazine', 'Letters of the longest magazines.', 2, 200, 30),
    p_solvable: real('Share of true ones', 'How many of the notes can be made.', 0, 1, 0.5),
  },
  levels: [
    { max_note_length: 2, max_magazine_length: 5 },
    { max_note_length: 4, max_magazine_length: 8 },
    { max_note_length: 6, max_magazine_length: 15 },
    {},
    { min_note_length: 10, max_note_length: 50, min_magazine_length: 50, max_magazine_length: 100 },
  ],
  checkConfig: ({ max_note_length, max_magazine_length }) =>
    max_note_length < max_magazine_length
      ? null
      : `max_note_length: ${max_note_length} is not below max_magazine_length, ${max_magazine_length}; choose at most ${max_magazine_length - 1}.`,
  space: ({ max_note_length, max_magazine_length, p_solvable }) =>
    p_solvable === 1 && max_note_length === 1 && max_magazine_length === 2 ? LETTERS.length ** 2 : null,
  draw(draw, config) {
    const noteLength = uniformInt(draw, config.min_note_length, config.max_note_length);
    const least = Math.max(noteLength, config.min_magazine_length);
    const magazineLength = uniformInt(draw, least, config.max_magazine_length);
    const solvable = draw() < config.p_solvable;
    const [note, magazine] = drawTexts(draw, noteLength, magazineLength, solvable);
    return {
      question: `A ransom note is to be put together from letters cut out of a magazine; each letter of the magazine can be used once. Answer True if the magazine has all the letters that the note needs, else False.\n\nRansom note: ${note}\nMagazine: ${magazine}`,
      compact: `ransom_note ${note} from ${magazine}`,
      key: `${sortLetters(note)} ${sortLetters(magazine)}`,
      answer: solvable ? 'True' : 'False',
      data: {
        ransom_note: note,
        magazine,
        solution: solvable,
        solvable,
        note_length: noteLength,
        magazine_length: magazineLength,
      },
    };
  },
  /** Each letter of the note is followed by the rest of the magazine, up to the first letter that is missing. */
  steps({ data: { ransom_note, magazine } }) {
    const lines: string[] = [];
    let rest = magazine;
    for (const letter of ransom_note) {
      const has = rest.includes(letter);
      rest = rest.replace(letter, '');
      lines.push(has ? `${letter}:${rest}` : `${letter}?`);
      if (!has) break;
    }
    return lines.join(' ');
  },
});
