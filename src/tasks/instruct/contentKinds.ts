/** Kinds of constraints on what an answer says: its length, its words, its letters and its language. */
import { pick, shuffled, uniformInt, type Draw } from '@rl-playground/base/random';
import { counted, countFault, unless, type Kind, type Relation } from './constraint.ts';
import {
  capitalWords,
  countOf,
  countSentences,
  countWords,
  firstWord,
  hasWord,
  letterShare,
} from './text.ts';

const KEYWORDS =
  'garden river music winter bridge story window family market travel colour science village summer forest kitchen'.split(
    ' ',
  );
const COMMON_WORDS =
  'very many good can also because people some make use great will have one time like'.split(' ');
const FIRST_WORDS = 'Today Imagine Surely Clearly Often Perhaps Honestly Everyone'.split(' ');

/** A sentence that makes any answer longer. */
export const FILLER = 'It is worth a look.';

/** The letters of each language's script, and a sentence in it. IFEval asks langdetect, which is a trained model; here the letters decide. */
const LANGUAGES: Readonly<Record<string, { readonly script: RegExp; readonly sentence: string }>> = {
  Russian: { script: /\p{Script=Cyrillic}/u, sentence: 'Это очень интересно.' },
  Greek: { script: /\p{Script=Greek}/u, sentence: 'Είναι πολύ ενδιαφέρον.' },
  Arabic: { script: /\p{Script=Arabic}/u, sentence: 'هذا مثير للاهتمام.' },
  Hebrew: { script: /\p{Script=Hebrew}/u, sentence: 'זה מעניין מאוד.' },
  Hindi: { script: /\p{Script=Devanagari}/u, sentence: 'यह बहुत रोचक है.' },
  Thai: { script: /\p{Script=Thai}/u, sentence: 'สิ่งนี้น่าสนใจมาก.' },
  Korean: { script: /\p{Script=Hangul}/u, sentence: '이것은 아주 흥미롭습니다.' },
  Japanese: {
    script: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー]/u,
    sentence: 'これはとても面白いです.',
  },
};
/** The share of letters in its script from which a text is in a language. */
const MOSTLY = 0.8;

/** The text with words before its last full stop. */
const inserted = (text: string, words: string): string => `${text.slice(0, -1)} ${words}.`;

const either = (draw: Draw): Relation => (draw() < 0.5 ? 'at least' : 'at most');

/** The text with fillers until it has enough of what `count` counts. */
function lengthened(text: string, least: number, count: (text: string) => number): string {
  let longer = text;
  while (count(longer) < least) longer += ` ${FILLER}`;
  return longer;
}

export const CONTENT_KINDS = {
  response_language: {
    label: 'Language, by its script',
    family: 'language',
    difficulty: 'hard',
    draw: (draw) => ({ words: [pick(draw, Object.keys(LANGUAGES))] }),
    ask: ({ words }) => `Write your whole answer in ${words[0]}.`,
    fault(text, { words: [language = ''] }) {
      const share = letterShare(text, LANGUAGES[language]?.script ?? /$^/);
      return unless(share >= MOSTLY, `found ${Math.round(100 * share)}% letters of ${language}`);
    },
    meet: (_, { words: [language = ''] }) => LANGUAGES[language]?.sentence ?? '',
  },
  keywords: {
    label: 'Keywords',
    family: 'keywords',
    difficulty: 'easy',
    draw: (draw) => ({ words: shuffled(draw, KEYWORDS).slice(0, uniformInt(draw, 1, 2)) }),
    ask: ({ words }) => `Use the word${words.length > 1 ? 's' : ''} ${words.join(' and ')} in your answer.`,
    fault(text, { words }) {
      const missing = words.filter((word) => countOf(text, word) === 0);
      return unless(missing.length === 0, `did not find ${missing.join(' and ')}`);
    },
    meet: (text, { words }) => inserted(text, `and ${words.join(' and ')}`),
  },
  keyword_frequency: {
    label: 'How often a keyword',
    family: 'keywords',
    difficulty: 'medium',
    draw: (draw) => ({ relation: 'at least', count: uniformInt(draw, 2, 3), words: [pick(draw, KEYWORDS)] }),
    ask: ({ words, relation, count }) => `Use the word ${words[0]} ${relation} ${count} times.`,
    fault: (text, constraint) =>
      countFault(countOf(text, constraint.words[0] ?? ''), constraint, `“${constraint.words[0]}”`),
    meet: (text, { words, count }) => inserted(text, `and ${words[0]} `.repeat(count).trimEnd()),
  },
  forbidden_words: {
    label: 'Forbidden words',
    family: 'keywords',
    difficulty: 'medium',
    draw: (draw) => ({ words: shuffled(draw, COMMON_WORDS).slice(0, uniformInt(draw, 2, 3)) }),
    ask: ({ words }) => `Do not use the words ${words.slice(0, -1).join(', ')} and ${words.at(-1)}.`,
    fault(text, { words }) {
      const used = words.filter((word) => hasWord(text, word));
      return unless(used.length === 0, `found ${used.join(' and ')}`);
    },
    meet: (text) => text,
  },
  letter_frequency: {
    label: 'How often a letter',
    family: 'keywords',
    difficulty: 'hard',
    draw(draw) {
      const relation = either(draw);
      const [rare, common] = ['bdfgkpvwyz', 'aeinorst'];
      if (relation === 'at most')
        return { relation, count: uniformInt(draw, 2, 8), words: [pick(draw, [...common])] };
      return { relation, count: uniformInt(draw, 3, 6), words: [pick(draw, [...rare])] };
    },
    ask: ({ words, relation, count }) => `The letter ${words[0]} should appear ${relation} ${count} times.`,
    fault: (text, constraint) =>
      countFault(
        text.toLowerCase().split(constraint.words[0] ?? '').length - 1,
        constraint,
        `“${constraint.words[0]}”`,
      ),
    meet: (text, { words: [letter = ''], relation, count }) =>
      relation === 'at most' ? text : inserted(text, letter.repeat(count)),
  },
  first_word: {
    label: 'First word',
    family: 'start and end',
    difficulty: 'easy',
    draw: (draw) => ({ words: [pick(draw, FIRST_WORDS)] }),
    ask: ({ words }) => `Begin your answer with the word ${words[0]}.`,
    fault(text, { words: [word = ''] }) {
      const first = firstWord(text);
      return unless(
        first === word.toLowerCase(),
        `found “${first.slice(0, 30)}” as the first word, “${word}” wanted`,
      );
    },
    meet: (text, { words }) => `${words[0]} ${text.charAt(0).toLowerCase()}${text.slice(1)}`,
  },
  number_sentences: {
    label: 'Number of sentences',
    family: 'length',
    difficulty: 'easy',
    draw(draw) {
      const relation = either(draw);
      return { relation, count: relation === 'at most' ? uniformInt(draw, 1, 3) : uniformInt(draw, 2, 4) };
    },
    ask: (constraint) =>
      constraint.relation === 'at most' && constraint.count === 1
        ? 'Answer in one sentence.'
        : `Write ${counted(constraint, 'sentence')}.`,
    fault: (text, constraint) => countFault(countSentences(text), constraint, 'sentence'),
    meet: (text, { relation, count }) =>
      relation === 'at most' ? text : lengthened(text, count, countSentences),
  },
  // One case of the kind above, for runs that learn nothing else.
  one_sentence: {
    label: 'One sentence',
    family: 'length',
    difficulty: 'apart',
    draw: () => ({ relation: 'exactly', count: 1 }),
    ask: () => 'Answer in one sentence.',
    fault: (text, constraint) => countFault(countSentences(text), constraint, 'sentence'),
    meet: (text) => text,
  },
  number_words: {
    label: 'Number of words',
    family: 'length',
    difficulty: 'easy',
    draw: (draw) => ({ relation: either(draw), count: 5 * uniformInt(draw, 3, 8) }),
    ask: (constraint) => `Use ${counted(constraint, 'word')}.`,
    fault: (text, constraint) => countFault(countWords(text), constraint, 'word'),
    meet: (text, { relation, count }) =>
      relation === 'at most' ? text : lengthened(text, count, countWords),
  },
  capital_words: {
    label: 'Words in capitals',
    family: 'case',
    difficulty: 'medium',
    draw: (draw) => ({ relation: 'at least', count: uniformInt(draw, 1, 3) }),
    ask: (constraint) => `Write ${counted(constraint, 'word')} in capital letters, as in YES.`,
    fault: (text, constraint) => countFault(capitalWords(text), constraint, 'capital word'),
    meet: (text, { count }) => `${text}${' YES'.repeat(count)}.`,
  },
} satisfies Readonly<Record<string, Kind>>;
