/**
 * Running text for tasks about spans and sentences, put together from short lists. There are so many sentences that a held-out span is
 * never one that was trained on.
 */
import { pick, uniformInt, type Draw } from '@rl-playground/base/random';

const list = (words: string): readonly string[] => words.trim().split(/\s+/);

const NAMES =
  list(`Mara Tomas Edith Ruben Clara Otto Ingrid Felix Nadia Hugo Selma Victor Leonie Arthur Greta Paul
  Amsterdam Lisbon Cairo Norway Bergen Winter`);
const TITLES = list('Mr Mrs Dr');
const PRONOUNS = list('I I I he she we they it you');
const OBJECT_PRONOUNS = list('it them her him us me');
const DETERMINERS = list('the the the a a a his her its our my that no');
const NOUNS =
  list(`river garden letter engine window captain doctor teacher station mountain village harbour lantern
  journal machine bridge telescope merchant neighbour kitchen orchard library cousin compass ticket island market
  painting piano soldier storm carriage railway boat road house room book door lamp map clock ship bell field ox
  gate dog horse wolf king ear oak ice hill lake town day end idea conversation instrument expedition newspaper
  correspondent observatory invention subscription electricity apartment announcement neighbourhood experiment
  government manufacturer quantity zone jar fox`);
const PLURALS =
  list(`letters rumours maps apples stones numbers questions instructions lamps sails figures keys
  documents conversations tickets songs machines ideas`);
const ADJECTIVES =
  list(`old new small great cold dark long quiet narrow yellow broken strange heavy careful distant
  famous ordinary enormous forgotten wonderful electric atmospheric magnificent extraordinary bright grey odd free
  southern western exact`);
const VERBS =
  list(`followed watched carried opened visited remembered expected discovered finished counted ordered
  asked used moved joined recommended kept saw found left held sent met heard built lost got took sold hid cut won
  read made knew liked lit drew`);
const AUXILIARIES = list('had had could would might did must will may can');
/** The words that may follow the auxiliary `had`. */
const PARTICIPLES =
  list(`followed watched repaired opened painted visited described measured remembered discovered
  delivered observed examined kept found left held sent met heard built lost`);
const STEMS =
  list(`follow watch repair carry open paint visit describe measure remember expect discover deliver
  question observe finish cross count examine order ask use move join keep see find leave hold send meet hear build`);
const ADVERBS =
  list(`slowly again today often then now quickly carefully alone once suddenly silently soon gladly
  there here immediately unfortunately twice also`);
const PREPOSITIONS = list(
  'in on at by to of of from with near under over behind beside across through before after',
);
const CONNECTIVES = list('and and and but while because when until so as if for or');
const PLACES = list('silence town secret spring autumn haste Paris Vienna May June order fact');

const NUMBERED_UNITS = list('days hours miles years men letters rooms boats');

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `words` words that name a thing, with `a` or `an` as the next word asks for. */
function thing(draw: Draw, words: number): string[] {
  if (words <= 1) return [pick(draw, PLURALS)];
  const rest = [...Array.from({ length: words - 2 }, () => pick(draw, ADJECTIVES)), pick(draw, NOUNS)];
  const determiner = pick(draw, DETERMINERS);
  const article = determiner === 'a' && /^[aeiou]/.test(rest[0] ?? '') ? 'an' : determiner;
  return [article, ...rest];
}

function subject(draw: Draw, words: number): string[] {
  if (words === 2 && draw() < 0.4) return [pick(draw, TITLES), pick(draw, NAMES)];
  if (words > 1) return thing(draw, words);
  return [draw() < 0.55 ? pick(draw, NAMES) : pick(draw, PRONOUNS)];
}

function object(draw: Draw, words: number): string[] {
  if (words > 1) return thing(draw, words);
  const kind = draw();
  return [pick(draw, kind < 0.5 ? PLURALS : kind < 0.8 ? OBJECT_PRONOUNS : NAMES)];
}

function verb(draw: Draw, words: number): string[] {
  if (words === 1) return [pick(draw, VERBS)];
  const auxiliary = pick(draw, AUXILIARIES);
  return [auxiliary, pick(draw, auxiliary === 'had' ? PARTICIPLES : STEMS)];
}

/** An adverbial of 1 to 4 words. */
function circumstance(draw: Draw, words: number, numbers: boolean): string[] {
  if (words === 1) return [pick(draw, ADVERBS)];
  const numbered = numbers && draw() < 0.4;
  if (words === 2) return ['in', numbered ? `${uniformInt(draw, 1850, 2889)}` : pick(draw, PLACES)];
  if (words === 3 && numbered) return ['for', `${uniformInt(draw, 2, 300)}`, pick(draw, NUMBERED_UNITS)];
  return [pick(draw, PREPOSITIONS), ...thing(draw, words - 1)];
}

/** A clause of `words` words, at least 3. */
function clause(draw: Draw, words: number, numbers: boolean): string[] {
  const verbWords = words >= 5 && draw() < 0.3 ? 2 : 1;
  const objectWords = uniformInt(draw, 1, Math.min(3, words - verbWords - 1));
  const subjectWords = uniformInt(draw, 1, Math.min(3, words - verbWords - objectWords));
  const parts = [subject(draw, subjectWords), verb(draw, verbWords), object(draw, objectWords)];
  let left = words - verbWords - objectWords - subjectWords;
  let adverbs = 0;
  while (left > 0) {
    // At most one adverb in a clause, so one place can't stay open after it.
    const spare = 1 - adverbs;
    const sizes = [1, 2, 3, 4].filter(
      (size) => size <= left && (size > 1 || spare > 0) && (left - size !== 1 || (size > 1 && spare > 0)),
    );
    const size = pick(draw, sizes);
    if (size === 1) adverbs++;
    parts.push(circumstance(draw, size, numbers));
    left -= size;
  }
  return parts.flat();
}

/** Words from which a sentence may have two clauses, and beyond which it must. */
const [TWO_CLAUSES, ONE_CLAUSE] = [9, 14];

function clauses(draw: Draw, words: number, numbers: boolean): string[] {
  if (words < TWO_CLAUSES || (words <= ONE_CLAUSE && draw() < 0.5)) return clause(draw, words, numbers);
  const first = uniformInt(draw, 4, Math.min(ONE_CLAUSE, words - 5));
  const start = clause(draw, first, numbers);
  const comma = draw() < 0.4 ? ',' : '';
  const last = start.length - 1;
  return [
    ...start.map((word, i) => (i === last ? word + comma : word)),
    pick(draw, CONNECTIVES),
    ...clauses(draw, words - first - 1, numbers),
  ];
}

/** Weight of the longest sentences beside the shortest ones'. */
const LONGEST_WEIGHT = 0.23;

/** Words of a sentence of `min` to `max` words: shorter ones are more common, with weights that fall linearly as in prose. */
export function drawSentenceLength(draw: Draw, min: number, max: number): number {
  for (;;) {
    const words = uniformInt(draw, min, max);
    const weight = max === min ? 1 : 1 - ((1 - LONGEST_WEIGHT) * (words - min)) / (max - min);
    if (draw() < weight) return words;
  }
}

/**
 * An English sentence of exactly `words` words, at least 3. It starts with a capital, ends with a full stop or sometimes an exclamation
 * mark, and may hold commas.
 */
export function drawSentence(draw: Draw, words: number, numbers = true): string {
  if (words < 3) throw new Error(`A sentence has 3 words or more; found ${words}. Ask for at least 3.`);
  const [first = '', ...rest] = clauses(draw, words, numbers);
  return `${[capitalized(first), ...rest].join(' ')}${draw() < 0.9 ? '.' : '!'}`;
}

/**
 * A span of `words` words from running text without punctuation. Sentences and names keep their capitals, and a few words are in capitals
 * as in a title.
 */
export function drawSpan(draw: Draw, words: number): string[] {
  const text: string[] = [];
  const skip = uniformInt(draw, 0, 11);
  while (text.length < skip + words) text.push(...drawSentence(draw, uniformInt(draw, 5, 20)).split(' '));
  return text
    .slice(skip, skip + words)
    .map((word) => word.replace(/[.,!]$/, ''))
    .map((word) => (draw() < 0.02 ? word.toUpperCase() : word));
}
