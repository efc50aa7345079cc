import { pick, shuffled, type Draw } from '@rl-playground/base/random';
import { splitSpace } from '../../python/text.ts';
import type { ScoringMode } from '../../define/types.ts';
import { needed } from '../shared/attempts.ts';
import { defineGymTask, whole, type ConfigOf } from '../shared/define.ts';
import {
  type Claim,
  claimSigns,
  claimWords,
  drawClaim,
  holds,
  solutions,
  worlds,
} from './knightsStatements.ts';

const fields = {
  n_people: whole('People', 'How many people there are.', 2, 7, 2),
  depth_constraint: whole('Nesting', 'How deep what they say is nested.', 2, 4, 2),
  width_constraint: whole('Parts', 'Most parts of what is joined by "and" or "or".', 2, 4, 2),
};
type Config = ConfigOf<typeof fields>;

const NAMES =
  `Emma Liam Olivia Noah Ava Ethan Sophia Mason Isabella William Mia James Charlotte Benjamin Amelia Lucas
  Harper Henry Evelyn Alexander Abigail Michael Emily Daniel Elizabeth Jacob Sofia Logan Avery Jackson Ella Sebastian
  Scarlett Jack Grace Aiden Chloe Owen Victoria Samuel Riley Matthew Aria Joseph Lily Luke Aurora David Penelope Oliver
  Zoey`.split(/\s+/);

const ROLES = [
  { knight: 'knight', knave: 'knave', plurals: ['knights', 'knaves'] },
  { knight: 'pioneer', knave: 'laggard', plurals: ['pioneers', 'laggards'] },
  { knight: 'saint', knave: 'sinner', plurals: ['saints', 'sinners'] },
  { knight: 'hero', knave: 'villain', plurals: ['heroes', 'villains'] },
  { knight: 'angel', knave: 'devil', plurals: ['angels', 'devils'] },
  { knight: 'altruist', knave: 'egoist', plurals: ['altruists', 'egoists'] },
  { knight: 'sage', knave: 'fool', plurals: ['sages', 'fools'] },
] as const;
const ROLE_WORDS = new Set<string>(ROLES.flatMap(({ knight, knave }) => [knight, knave]));

const UTTERANCES: readonly ((who: string, what: string) => string)[] = [
  (who, what) => `${who} says: "${what}".`,
  (who, what) => `${who} says that ${what}.`,
  (who, what) => `"${what}", says ${who}.`,
  (who, what) => `${who} tells you: "${what}".`,
  (who, what) => `${who} tells you that ${what}.`,
  (who, what) => `Asked about it, ${who} answers: "${what}".`,
  (who, what) => `${who} whispers: "${what}".`,
  (who, what) => `"${what}", ${who} calls out.`,
  (who, what) => `According to ${who}, ${what}.`,
  (who, what) => `${who} insists that ${what}.`,
];

const article = (word: string): string => `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;

/** Lists parts as `A`, `A and B`, or `A, B, and C`; `pair` is the text between two. */
const listed = (parts: readonly string[], pair: string): string =>
  parts.length < 3 ? parts.join(pair) : `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;

const SKIPPED = new Set(['is', 'a', 'an', 'and']);

/** Words of an answer in lower case, with spaces for `. , ( )`, without the words that carry nothing. */
const wordsOf = (text: string): string[] =>
  splitSpace(text.toLowerCase().replace(/[.,()]/g, ' ')).filter((word) => !SKIPPED.has(word));

/** `name role` for every role word that follows a word that is none. */
function pairs(words: readonly string[]): Set<string> {
  const found = new Set<string>();
  let name: string | null = null;
  for (const word of words) {
    if (!ROLE_WORDS.has(word)) name = word;
    else if (name !== null) {
      found.add(`${name} ${word}`);
      name = null;
    }
  }
  return found;
}

const namesOf = (found: Set<string>): Set<string | undefined> =>
  new Set([...found].map((pair) => pair.split(' ')[0]));

function sameNames(a: Set<string>, b: Set<string>): boolean {
  const [first, second] = [namesOf(a), namesOf(b)];
  return a.size === b.size && first.size === second.size && [...first].every((name) => second.has(name));
}

/**
 * Scores 1 if everyone has the right role, or 0.3 and a share of 0.7 if some do and the number of people is right. `strict` wants each
 * person once and no other word, so that a "not" or a second guess counts.
 */
function rolesScore(candidate: string, truth: string, mode: ScoringMode): number {
  const [right, words] = [pairs(wordsOf(truth)), wordsOf(candidate)];
  const given = pairs(words);
  const matches = [...given].filter((pair) => right.has(pair)).length;
  if (mode === 'strict' && (words.length !== 2 * right.size || !sameNames(given, right))) return 0;
  if (given.size !== right.size) return 0;
  if (matches === right.size) return 1;
  return matches === 0 ? 0 : 0.3 + (0.7 * matches) / right.size;
}

/** The number of attempts to draw claims with one solution. */
const MOST_ATTEMPTS = 1000;

function drawClaims(draw: Draw, config: Config): { claims: Claim[]; solution: boolean[] } {
  const error = `knights_knaves: none of ${MOST_ATTEMPTS} sets of statements had exactly one solution; choose fewer people.`;
  return needed(MOST_ATTEMPTS, error, () => {
    const claims = Array.from({ length: config.n_people }, (_, speaker) => drawClaim(draw, speaker, config));
    const [solution, ...others] = solutions(claims);
    return solution !== undefined && others.length === 0 ? { claims, solution } : null;
  });
}

/** Finds the liar of two people: it tries each way with T and F in place of the people, up to the one that fits. */
function waysOfTwo(claims: readonly Claim[]): string {
  const letter = (truthful: boolean | undefined): string => (truthful === true ? 'T' : 'F');
  const lines: string[] = [];
  for (const world of worlds(2)) {
    let line = world.map(letter).join('');
    let fits = true;
    for (const [i, claim] of claims.entries()) {
      if (!fits) break;
      const value = holds(claim, world);
      line += ` ${claimSigns(claim, (person) => letter(world[person]))}=${letter(value)}`;
      fits = value === world[i];
    }
    lines.push(`${line} ${fits ? 'yes' : 'no'}`);
    if (fits) break;
  }
  return lines.join('\n');
}

export const knightsKnaves = defineGymTask({
  name: 'knights_knaves',
  title: 'Knights and knaves',
  summary: 'Find out who always lies and who never does from what they say of each other.',
  family: 'logic',
  fields,
  levels: [
    {},
    { n_people: 3 },
    { n_people: 3, depth_constraint: 3 },
    { n_people: 4, depth_constraint: 3, width_constraint: 3 },
    { n_people: 5, depth_constraint: 3, width_constraint: 3 },
  ],
  draw(draw, config) {
    const { claims, solution } = drawClaims(draw, config);
    const names = shuffled(draw, NAMES).slice(0, config.n_people);
    const roles = pick(draw, ROLES);
    const { knight, knave, plurals } = roles;
    const role = (truthful: boolean): string => article(truthful ? knight : knave);
    const said = claims.map((claim, i) => {
      const what = claimWords(claim, (person, truthful) => `${names[person]} is ${role(truthful)}`);
      return pick(draw, UTTERANCES)(names[i] ?? '', what);
    });
    const found = names.map((name, i) => `${name} is ${role(solution[i] ?? false)}`);
    const form = names.map((name) => `${name} is ${article(knight)}/${knave}`);
    const signs = claims.map((claim, i) => `${i + 1} says ${claimSigns(claim, (person) => `${person + 1}`)}`);
    return {
      question: `Everybody on an island is either ${role(true)} or ${role(false)}: ${plurals[0]} always tell the truth, and ${plurals[1]} always lie. You meet ${config.n_people} people there, ${listed(names, ' and ')}. ${said.join(' ')} Who is ${role(true)}, and who is ${role(false)}? (Answer in this form: "${listed(form, ', and ')}")`,
      compact: `knights_knaves ${names.join(' ')} ${knight} ${knave}: ${signs.join('. ')}`,
      key: `${names.join(' ')}: ${signs.join('. ')}`,
      answer: `${listed(found, ', and ')}.`,
      data: { statements: claims, solution, names, knight_knave_terms: { knight, knave } },
    };
  },
  scoreAnswer: (candidate, { answer }, mode) => (candidate === '' ? 0 : rolesScore(candidate, answer, mode)),
  steps: ({ data: { statements } }) => (statements.length === 2 ? waysOfTwo(statements) : ''),
});
