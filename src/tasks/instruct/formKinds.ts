/** Kinds of constraints on the form of an answer: its parts, its marks, its case, its beginning and its end. */
import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { WHITE_SPACE } from '@rl-playground/base/pythonText';
import { counted, countFault, unless, type Kind } from './constraint.ts';
import { FILLER } from './contentKinds.ts';
import { valueOfJson } from '../python/json.ts';
import { stripSpace } from '../python/text.ts';
import {
  countBullets,
  countHighlights,
  countPlaceholders,
  firstWord,
  hasTitle,
  isLower,
  isUpper,
  letterShare,
  matches,
  partedTexts,
  trimmedEnd,
  trimmedStart,
} from './text.ts';

const END_PHRASES = [
  'That is all I know.',
  'I hope this helps you.',
  'Thank you for asking.',
  'Let me know what you think.',
];
const CHOICES = ['My answer is yes.', 'My answer is no.', 'My answer is maybe.'];
const FIRST_WORDS = ['first', 'finally', 'however', 'today', 'imagine', 'often'];
const SPACE = `[${WHITE_SPACE}]?`;
const SECTIONS = new RegExp(`Section${SPACE}\\p{Nd}+`, 'gu');
const POSTSCRIPTS: Readonly<Record<string, RegExp>> = {
  'P.S.': new RegExp(`p\\.${SPACE}s\\.`),
  'P.P.S.': new RegExp(`p\\.${SPACE}p\\.${SPACE}s`),
};

const repeated = (count: number, one: (number: number) => string): string =>
  Array.from({ length: count }, (_, i) => one(i + 1)).join('');

const drawCount = (low: number, high: number, relation: 'at least' | 'exactly') => (draw: Draw) => ({
  relation,
  count: uniformInt(draw, low, high),
});

/** The text without the fence of a block of code around it. */
export function unfenced(text: string): string {
  let inner = stripSpace(text);
  for (const fence of ['```json', '```Json', '```JSON', '```'])
    if (inner.startsWith(fence)) inner = inner.slice(fence.length);
  return stripSpace(inner.endsWith('```') ? inner.slice(0, -3) : inner);
}

/** True if Python reads the text as JSON. */
function isJson(text: string): boolean {
  try {
    valueOfJson(unfenced(text));
    return true;
  } catch {
    return false;
  }
}

/** True if the letters are mostly those of English. IFEval asks langdetect, which takes many a text in capitals for German. */
const isLatin = (text: string): boolean => letterShare(text, /[a-z]/i) > 0.5;

const parted =
  (divider: string, thing: string, wanted: number) =>
  (text: string): string | null => {
    const parts = partedTexts(text, divider);
    if (parts === null) return `found nothing between two ${divider}`;
    return countFault(parts.length, { relation: 'exactly', count: wanted, words: [] }, thing);
  };

/** The paragraphs between empty lines, a blank one included. */
const paragraphsOf = (text: string): string[] => text.split('\n\n').map(stripSpace);

export const FORM_KINDS = {
  constrained_response: {
    label: 'One of three answers',
    family: 'format',
    difficulty: 'medium',
    request: (subject) => `Do you like ${subject}?`,
    draw: () => ({ words: CHOICES }),
    ask: ({ words }) => `Answer with one of these: ${words.map((word) => `"${word}"`).join(' ')}`,
    fault: (text, { words }) =>
      unless(
        words.some((word) => text.includes(word)),
        'found none of the answers to choose from',
      ),
    meet: (_, { words }) => words[0] ?? '',
  },
  number_bullets: {
    label: 'Number of bullet points',
    family: 'format',
    difficulty: 'easy',
    draw: drawCount(2, 4, 'exactly'),
    ask: (constraint) =>
      `Answer with ${counted(constraint, 'bullet point')}, each on a line that begins with "* ".`,
    fault: (text, constraint) => countFault(countBullets(text), constraint, 'bullet point'),
    meet: (text, { count }) => `${text}${repeated(count, () => `\n* ${FILLER}`)}`,
  },
  number_placeholders: {
    label: 'Placeholders',
    family: 'content',
    difficulty: 'easy',
    draw: drawCount(1, 3, 'at least'),
    ask: (constraint) => `Leave ${counted(constraint, 'placeholder')} in square brackets, such as [name].`,
    fault: (text, constraint) => countFault(countPlaceholders(text), constraint, 'placeholder'),
    meet: (text, { count }) => `${text} Ask${repeated(count, () => ' [name]')}.`,
  },
  number_highlights: {
    label: 'Highlighted parts',
    family: 'format',
    difficulty: 'medium',
    draw: drawCount(1, 3, 'at least'),
    ask: (constraint) => `Highlight ${counted(constraint, 'part')} of your answer like *this*.`,
    fault: (text, constraint) => countFault(countHighlights(text), constraint, 'highlighted part'),
    meet: (text, { count }) => `${text} It is${repeated(count, () => ' *new*')}.`,
  },
  number_sections: {
    label: 'Sections',
    family: 'format',
    difficulty: 'hard',
    draw: drawCount(2, 3, 'at least'),
    ask: (constraint) =>
      `Write ${counted(constraint, 'section')}, and begin them with Section 1, Section 2 and so on.`,
    fault: (text, constraint) => countFault(matches(text, SECTIONS).length, constraint, 'section'),
    meet: (text, { count }) => repeated(count, (i) => `${i > 1 ? '\n' : ''}Section ${i}\n${text}`),
  },
  number_paragraphs: {
    label: 'Paragraphs between ***',
    family: 'length',
    difficulty: 'hard',
    draw: drawCount(2, 3, 'exactly'),
    ask: (constraint) =>
      `Write ${counted(constraint, 'paragraph')} with a line of three asterisks, ***, between them.`,
    fault: (text, { count }) => parted('***', 'paragraph', count)(text),
    meet: (text, { count }) => `${text}${repeated(count - 1, () => `\n***\n${FILLER}`)}`,
  },
  paragraph_first_word: {
    label: 'First word of a paragraph',
    family: 'length',
    difficulty: 'hard',
    // The words are the place of a paragraph, from 1, and its first word.
    draw(draw) {
      const count = uniformInt(draw, 2, 3);
      return {
        relation: 'exactly',
        count,
        words: [`${uniformInt(draw, 1, count)}`, pick(draw, FIRST_WORDS)],
      };
    },
    ask: ({ count, words: [place, word] }) =>
      `Write exactly ${count} paragraphs with an empty line between them. Paragraph ${place} must begin with the word ${word}.`,
    fault(text, constraint) {
      const [place = '', word = ''] = constraint.words;
      const paragraphs = paragraphsOf(text);
      const filled = paragraphs.filter((paragraph) => paragraph !== '').length;
      const first = Number(place) > filled ? '' : firstWord(paragraphs[Number(place) - 1] ?? '');
      return (
        countFault(filled, constraint, 'paragraph') ??
        unless(
          first === word,
          `found “${first.slice(0, 30)}” at the beginning of paragraph ${place}, “${word}” wanted`,
        )
      );
    },
    meet: (text, { count, words: [place, word] }) =>
      repeated(
        count,
        (i) => `${i > 1 ? '\n\n' : ''}${i === Number(place) ? `${word}, ` : ''}${i === 1 ? text : FILLER}`,
      ),
  },
  title: {
    label: 'Title',
    family: 'format',
    difficulty: 'medium',
    draw: () => ({}),
    ask: () => 'Give your answer a title in double angle brackets, such as <<A good day>>.',
    fault: (text) => unless(hasTitle(text), 'found no title in << >>'),
    meet: (text) => `<<A short answer>>\n${text}`,
  },
  postscript: {
    label: 'Postscript',
    family: 'content',
    difficulty: 'medium',
    draw: (draw) => ({ words: [pick(draw, Object.keys(POSTSCRIPTS))] }),
    ask: ({ words }) => `Add a postscript at the end that begins with ${words[0]}`,
    fault: (text, { words: [marker = ''] }) =>
      unless(POSTSCRIPTS[marker]?.test(text.toLowerCase()) === true, `did not find ${marker}`),
    meet: (text, { words }) => `${text}\n\n${words[0]} ${FILLER}`,
  },
  question_end: {
    label: 'A question at the end',
    family: 'start and end',
    difficulty: 'easy',
    draw: () => ({}),
    ask: () => 'End your answer with a question.',
    fault: (text) =>
      unless(trimmedEnd(stripSpace(text), '"').endsWith('?'), 'found no question mark at the end'),
    meet: (text) => `${text} Is it not?`,
  },
  end_phrase: {
    label: 'Last words',
    family: 'start and end',
    difficulty: 'medium',
    draw: (draw) => ({ words: [pick(draw, END_PHRASES)] }),
    ask: ({ words }) => `End your answer with these words and nothing after them: ${words[0]}`,
    fault: (text, { words: [phrase = ''] }) =>
      unless(
        trimmedEnd(trimmedStart(stripSpace(text), '"'), '"')
          .toLowerCase()
          .endsWith(phrase.toLowerCase()),
        `did not find “${phrase}” at the end`,
      ),
    meet: (text, { words }) => `${text} ${words[0]}`,
  },
  two_responses: {
    label: 'Two answers',
    family: 'combination',
    difficulty: 'hard',
    draw: () => ({ relation: 'exactly', count: 2 }),
    ask: () => 'Give two different answers, and write six asterisks, ******, between them and nowhere else.',
    fault(text) {
      const fault = parted('******', 'answer', 2)(text);
      const [first, second] = partedTexts(text, '******') ?? [];
      return fault ?? unless(first !== second, 'found the same answer twice');
    },
    meet: (text) => `${text}\n******\n${FILLER} ${text}`,
  },
  repeat_request: {
    label: 'The request repeated',
    family: 'combination',
    difficulty: 'hard',
    draw: (_, request) => ({ words: [request] }),
    ask: ({ words }) => `First repeat these words exactly, then answer: ${words[0]}`,
    fault: (text, { words: [request = ''] }) =>
      unless(
        stripSpace(text).toLowerCase().startsWith(request.toLowerCase()),
        'found other words before the repeated request',
      ),
    meet: (text, { words }) => `${words[0]}\n${text}`,
  },
  json: {
    label: 'JSON',
    family: 'format',
    difficulty: 'medium',
    draw: () => ({}),
    ask: () => 'Give your whole answer as JSON.',
    fault: (text) => unless(isJson(text), 'found no JSON, or text around it'),
    meet: (text) => JSON.stringify({ answer: text }),
  },
  upper_case: {
    label: 'All in capitals',
    family: 'case',
    difficulty: 'medium',
    draw: () => ({}),
    ask: () => 'Write your whole answer in capital letters.',
    fault: (text) => unless(isUpper(text) && isLatin(text), 'found small letters, or none of English'),
    meet: (text) => text.toUpperCase(),
  },
  lower_case: {
    label: 'All in small letters',
    family: 'case',
    difficulty: 'medium',
    draw: () => ({}),
    ask: () => 'Write your whole answer in small letters, without a capital.',
    fault: (text) => unless(isLower(text) && isLatin(text), 'found capital letters, or none of English'),
    meet: (text) => text.toLowerCase(),
  },
  no_comma: {
    label: 'No commas',
    family: 'punctuation',
    difficulty: 'easy',
    draw: () => ({}),
    ask: () => 'Do not use any commas.',
    fault: (text) =>
      countFault(text.split(',').length - 1, { relation: 'at most', count: 0, words: [] }, 'comma'),
    meet: (text) => text.replaceAll(',', ''),
  },
  quotation: {
    label: 'In quotation marks',
    family: 'start and end',
    difficulty: 'medium',
    draw: () => ({}),
    ask: () => 'Put your whole answer in double quotation marks.',
    fault(text) {
      const bare = stripSpace(text);
      return unless(
        bare.length > 1 && bare.startsWith('"') && bare.endsWith('"'),
        'found no quotation marks around it',
      );
    },
    meet: (text) => `"${text}"`,
  },
} satisfies Readonly<Record<string, Kind>>;
