import { pick, shuffled, type Draw } from '@rl-playground/base/random';
import { defineGymTask, flag, real, type ConfigOf } from '../shared/define.ts';

// Categorical statements and what follows from them. Every kind is taken to have a member, as in the classical doctrine.

export const QUANTIFIERS = ['all', 'no', 'some', 'some_not'] as const;
export type Quantifier = (typeof QUANTIFIERS)[number];

interface Statement {
  readonly quantifier: Quantifier;
  readonly subject: string;
  readonly predicate: string;
}

const WORDED: Readonly<Record<Quantifier, (subject: string, predicate: string) => string>> = {
  all: (subject, predicate) => `All ${subject} are ${predicate}`,
  no: (subject, predicate) => `No ${subject} are ${predicate}`,
  some: (subject, predicate) => `Some ${subject} are ${predicate}`,
  some_not: (subject, predicate) => `Some ${subject} are not ${predicate}`,
};

const worded = ({ quantifier, subject, predicate }: Statement): string =>
  WORDED[quantifier](subject, predicate);

/** The statement that `worded` wrote, or null. */
export function readStatement(text: string): Statement | null {
  const [, word = '', subject = '', not, predicate = ''] =
    /^(All|No|Some) (\w+) are (not )?(\w+)$/.exec(text) ?? [];
  if (word === '' || (not !== undefined && word !== 'Some')) return null;
  const quantifier = word === 'All' ? 'all' : word === 'No' ? 'no' : not === undefined ? 'some' : 'some_not';
  return { quantifier, subject, predicate };
}

/** The conclusions about A and C from a statement about A and B and one about B and C. */
const CHAINS: Readonly<Partial<Record<`${Quantifier} ${Quantifier}`, readonly Quantifier[]>>> = {
  'all all': ['all', 'some'],
  'all no': ['no', 'some_not'],
  'some all': ['some'],
  'some no': ['some_not'],
};

export const chained = (first: Quantifier, second: Quantifier): readonly Quantifier[] =>
  CHAINS[`${first} ${second}`] ?? [];

/** The conclusions about B and A from a statement about A and B. */
export const CONVERSES: Readonly<Record<Quantifier, readonly Quantifier[]>> = {
  all: ['some'],
  no: ['no', 'some_not'],
  some: ['some'],
  some_not: [],
};

const fields = {
  allow_all: flag('"All … are …"', 'Whether such statements may come up.', true),
  allow_no: flag('"No … are …"', 'Whether such statements may come up.', true),
  allow_some: flag('"Some … are …"', 'Whether such statements may come up.', true),
  allow_some_not: flag('"Some … are not …"', 'Whether such statements may come up.', true),
  invalid_ratio: real('Share that does not follow', 'How often the answer is No.', 0, 1, 0.3),
  inversion_probability: real(
    'Share of inversions',
    'How often the conclusion turns one of the statements around, the other being of no use.',
    0,
    1,
    0.3,
  ),
};
type Config = ConfigOf<typeof fields>;

const KINDS =
  `mortals humans children adults parents grandparents philosophers students teachers doctors scientists
  artists musicians writers programmers engineers lawyers chefs animals mammals dogs cats birds fish reptiles insects
  butterflies bees ants spiders horses elephants lions tigers whales dolphins`.split(/\s+/);

const allowed = (config: Config): Quantifier[] =>
  QUANTIFIERS.filter((quantifier) => config[`allow_${quantifier}`] === true);

/** The number of attempts to draw quantifiers of the wished validity. */
const MOST_ATTEMPTS = 100;

/** Draws two premises and a conclusion that joins their outer terms. */
function drawChain(draw: Draw, kinds: readonly Quantifier[], terms: Terms, wanted: boolean) {
  for (let attempt = 1; ; attempt++) {
    const [first, second, third] = [pick(draw, kinds), pick(draw, kinds), pick(draw, kinds)];
    const valid = chained(first, second).includes(third);
    if (valid !== wanted && attempt < MOST_ATTEMPTS) continue;
    const [a, b, c] = terms;
    return {
      premises: [
        { quantifier: first, subject: a, predicate: b },
        { quantifier: second, subject: b, predicate: c },
      ],
      conclusion: { quantifier: third, subject: a, predicate: c },
      valid,
      type: 'syllogism',
    };
  }
}

/** Upstream's right conclusions from a statement turned around; nothing follows from `some_not`. */
const RIGHT_CONVERSE: Readonly<Partial<Record<Quantifier, Quantifier>>> = {
  all: 'some',
  no: 'no',
  some: 'some',
};
/** Upstream's wrong conclusions. */
const WRONG_CONVERSES: Readonly<Record<Quantifier, readonly Quantifier[]>> = {
  all: ['all', 'no'],
  no: ['all', 'some'],
  some: ['all', 'no'],
  some_not: ['all', 'no', 'some'],
};

/** Draws two premises and a conclusion that turns one of them around. */
function drawInversion(draw: Draw, kinds: readonly Quantifier[], terms: Terms, wanted: boolean) {
  const quantifiers: [Quantifier, Quantifier] = [pick(draw, kinds), pick(draw, kinds)];
  const turned = draw() < 0.5 ? 0 : 1;
  const convertible = kinds.filter((kind) => RIGHT_CONVERSE[kind] !== undefined);
  if (wanted && RIGHT_CONVERSE[quantifiers[turned]] === undefined && convertible.length > 0)
    quantifiers[turned] = pick(draw, convertible);
  const [first, second] = quantifiers;
  const [a, b, c] = terms;
  const premises: [Statement, Statement] = [
    { quantifier: first, subject: a, predicate: b },
    { quantifier: second, subject: b, predicate: c },
  ];
  const { quantifier, subject, predicate } = premises[turned];
  const right = wanted ? RIGHT_CONVERSE[quantifier] : undefined;
  const concluded = right ?? pick(draw, WRONG_CONVERSES[quantifier]);
  return {
    premises,
    conclusion: { quantifier: concluded, subject: predicate, predicate: subject },
    valid: CONVERSES[quantifier].includes(concluded),
    type: 'inversion',
  };
}

type Terms = readonly [a: string, b: string, c: string];

function drawTerms(draw: Draw): Terms {
  const [a = '', b = '', c = ''] = shuffled(draw, KINDS);
  return [a, b, c];
}

/** The letters of tradition. */
const LETTERS: Readonly<Record<Quantifier, string>> = { all: 'A', no: 'E', some: 'I', some_not: 'O' };

const short = ({ quantifier, subject, predicate }: Statement): string =>
  `${LETTERS[quantifier]} ${subject} ${predicate}`;

/** The places of the conclusion's terms, the conclusions from the premises that have them, and the question. */
function stepsOf(first: Statement, second: Statement, { quantifier, subject, predicate }: Statement): string {
  const place = (term: string): string =>
    term === first.subject ? '1' : term === second.predicate ? '2' : 'm';
  const where = place(subject) + place(predicate);
  const [from, follows] =
    where === '12'
      ? [[first, second], chained(first.quantifier, second.quantifier)]
      : where === 'm1'
        ? [[first], CONVERSES[first.quantifier]]
        : [[second], CONVERSES[second.quantifier]];
  const given = from.map((premise) => LETTERS[premise.quantifier]).join('');
  const gives = follows.map((kind) => LETTERS[kind]).join('') || '-';
  return `${subject} ${place(subject)} ${predicate} ${place(predicate)}: ${given} gives ${gives}, asked ${LETTERS[quantifier]}`;
}

export const syllogism = defineGymTask({
  name: 'syllogism',
  title: 'Syllogism',
  summary: 'Say whether a conclusion about kinds of beings follows from two statements.',
  family: 'logic',
  fields,
  levels: [
    { allow_some: false, allow_some_not: false, inversion_probability: 0 },
    { allow_some_not: false, inversion_probability: 0 },
    { inversion_probability: 0 },
    {},
    { invalid_ratio: 0.5, inversion_probability: 0.5 },
  ],
  checkConfig: (config) =>
    allowed(config).length === 0
      ? 'allow_all: no kind of statement is allowed, and one at least is needed; allow one.'
      : null,
  draw(draw, config) {
    const kinds = allowed(config);
    const terms = drawTerms(draw);
    const drawn = draw() < config.inversion_probability ? drawInversion : drawChain;
    const wanted = draw() >= config.invalid_ratio;
    const { premises, conclusion, valid, type } = drawn(draw, kinds, terms, wanted);
    const [premise1, premise2] = [worded(premises[0]), worded(premises[1])];
    const concluded = worded(conclusion);
    return {
      question: `Take each kind to have at least one member, and these two statements to be true:\n1. ${premise1}\n2. ${premise2}\n\nMust this be true as well?\n${concluded}\n(Answer Yes or No)`,
      compact: `syllogism ${[...premises, conclusion].map(short).join('. ')}?`,
      key: `${premise1}. ${premise2}. ${concluded}?`,
      answer: valid ? 'Yes' : 'No',
      data: { premise1, premise2, conclusion: concluded, is_valid: valid, type },
    };
  },
  steps({ data: { premise1, premise2, conclusion } }) {
    const [first, second, asked] = [premise1, premise2, conclusion].map(readStatement);
    return first && second && asked ? stepsOf(first, second, asked) : '';
  },
});
