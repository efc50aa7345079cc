/** Requests with one to three constraints that a program can check, in the families of IFEval (Zhou et al. 2023); texts of our own. */
import { shuffled, uniformInt, type Draw } from '@rl-playground/base/random';
import { plural } from '@rl-playground/base/text';
import { defineTask } from '../define/define.ts';
import { choice, subset, whole, type ConfigOf } from '../define/fields.ts';
import { stripSpace } from '../python/text.ts';
import { KIND_NAMES, kindOf, type KindName, type NamedConstraint } from './kinds.ts';
import { countWords } from './text.ts';
import { drawRequest, drawSubject } from './requests.ts';
import { faultOf, verdictOf } from './verdict.ts';
import type { Difficulty } from './constraint.ts';

const upTo = (...difficulties: readonly Difficulty[]): KindName[] =>
  KIND_NAMES.filter((name) => difficulties.includes(kindOf(name).difficulty));

const fields = {
  min_constraints: whole('Fewest constraints', 'Constraints of the shortest requests.', 1, 3, 1),
  max_constraints: whole('Most constraints', 'Constraints of the longest requests.', 1, 3, 1),
  kinds: subset(
    'Kinds of constraints',
    'What may be asked of an answer. The constraints of one request are of different families.',
    Object.fromEntries(KIND_NAMES.map((name) => [name, kindOf(name).label])) as Record<KindName, string>,
    upTo('easy'),
  ),
  reward_rule: choice(
    'Reward',
    'What an answer to a request with several constraints earns.',
    { share: 'The share of the constraints that it meets', all: '1 if it meets all, else 0' },
    'share',
  ),
  min_words: whole(
    'Fewest words',
    'An answer with fewer words earns nothing. 0 pays for the form alone, as IFEval counts, so that “?” ends with a question.',
    0,
    50,
    0,
  ),
};

interface Data {
  readonly constraints: readonly NamedConstraint[];
}

/** Attempts to find constraints that one answer can meet. */
const ATTEMPTS = 40;

/** Some kinds, each of another family. */
function drawKinds(draw: Draw, names: readonly KindName[], count: number): KindName[] {
  const chosen: KindName[] = [];
  for (const name of shuffled(draw, names))
    if (chosen.length < count && chosen.every((other) => kindOf(other).family !== kindOf(name).family))
      chosen.push(name);
  return KIND_NAMES.filter((name) => chosen.includes(name));
}

/** An answer that meets the constraints, which come in the order of their kinds, or null. */
function answerTo(subject: string, constraints: readonly NamedConstraint[]): string | null {
  const plain = `There is much to say about ${subject}.`;
  const answer = constraints.reduce(
    (text, constraint) => kindOf(constraint.kind).meet(text, constraint),
    plain,
  );
  return constraints.every((constraint) => faultOf(answer, constraint) === null) ? answer : null;
}

function drawOne(draw: Draw, { kinds, min_constraints, max_constraints }: ConfigOf<typeof fields>) {
  const subject = drawSubject(draw);
  const wanted = uniformInt(draw, min_constraints, max_constraints);
  for (let attempt = 0; ; attempt++) {
    // Kinds that contradict each other in every attempt, as JSON and quotation marks do, leave room for fewer.
    const chosen = drawKinds(draw, kinds, Math.max(1, wanted - Math.floor(attempt / ATTEMPTS)));
    const own = chosen.map((name) => kindOf(name).request).find((each) => each !== undefined);
    const request = own?.(subject) ?? drawRequest(draw, subject);
    const constraints = chosen.map((kind): NamedConstraint => {
      return { kind, relation: 'exactly', count: 0, words: [], ...kindOf(kind).draw(draw, request) };
    });
    const answer = answerTo(subject, constraints);
    if (answer === null) continue;
    const asked = shuffled(draw, constraints).map((each) => kindOf(each.kind).ask(each));
    const data: Data = { constraints };
    return { question: [request, ...asked].join(' '), key: subject, answer, data };
  }
}

export const instructions = defineTask({
  name: 'instructions',
  title: 'Instructions',
  summary: 'Answer a short request and keep to one to three constraints, such as “Use at most 20 words.”',
  source: 'IFEval',
  family: 'instruct',
  fields,
  levels: [
    {},
    { kinds: upTo('easy', 'medium') },
    { kinds: upTo('easy', 'medium'), min_constraints: 2, max_constraints: 2 },
    { kinds: upTo('easy', 'medium', 'hard'), min_constraints: 2, max_constraints: 2 },
    { kinds: upTo('easy', 'medium', 'hard'), min_constraints: 3, max_constraints: 3 },
  ],
  checkConfig({ kinds, max_constraints }) {
    const families = new Set(kinds.map((name) => kindOf(name).family)).size;
    if (families >= max_constraints) return null;
    return `kinds: the chosen kinds are of ${families === 1 ? '1 family' : `${families} families`}; ${max_constraints} constraints need as many families. Choose more kinds, or fewer constraints.`;
  },
  draw: drawOne,
  messages: ({ question }) => [{ role: 'user', content: question }],
  score({ data }, { text }, { config }) {
    const { constraints } = data;
    const { faults, loose } = verdictOf(text, constraints);
    const words = countWords(text);
    const short = words < config.min_words;
    const correct = faults.length === 0 && !short;
    const share = 1 - faults.length / constraints.length;
    const followed = short ? 0 : config.reward_rule === 'share' ? share : Number(correct);
    const said = stripSpace(text);
    return {
      total: followed,
      parts: { followed },
      correct,
      format: loose && !short,
      reason: reasonOf({ faults, loose, count: constraints.length, short: short ? words : null }),
      extracted: said === '' ? null : said,
    };
  },
  workedAnswer: ({ answer }) => answer,
  demonstration: ({ answer }) => answer,
});

interface Found {
  readonly faults: readonly string[];
  readonly loose: boolean;
  readonly count: number;
  /** The number of words if there are too few. */
  readonly short: number | null;
}

function reasonOf({ faults, loose, count, short }: Found): string {
  if (short !== null) return `Wrong: found ${plural(short, 'word')}, too few to be paid.`;
  if (faults.length === 0) return 'Right.';
  const met = count > 1 ? ` ${count - faults.length} of ${count} constraints are met.` : '';
  const loosely = loose ? ' Right by the loose rules, without its first or last line or its asterisks.' : '';
  return `Wrong: ${faults.join('; ')}.${met}${loosely}`;
}
