/** Categorical statements and what follows from them. Every kind is taken to have a member, as in the classical doctrine. */

export const QUANTIFIERS = ['all', 'no', 'some', 'some_not'] as const;
export type Quantifier = (typeof QUANTIFIERS)[number];

export interface Statement {
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

export const worded = ({ quantifier, subject, predicate }: Statement): string =>
  WORDED[quantifier](subject, predicate);

/** The statement that `worded` wrote, or null. */
export function readStatement(text: string): Statement | null {
  const [, word = '', subject = '', not, predicate = ''] =
    /^(All|No|Some) (\w+) are (not )?(\w+)$/.exec(text) ?? [];
  if (word === '' || (not !== undefined && word !== 'Some')) return null;
  const quantifier = word === 'All' ? 'all' : word === 'No' ? 'no' : not === undefined ? 'some' : 'some_not';
  return { quantifier, subject, predicate };
}

/** What follows about A and C from a statement about A and B and one about B and C, in this order. */
const CHAINS: Readonly<Partial<Record<`${Quantifier} ${Quantifier}`, readonly Quantifier[]>>> = {
  'all all': ['all', 'some'],
  'all no': ['no', 'some_not'],
  'some all': ['some'],
  'some no': ['some_not'],
};

export const chained = (first: Quantifier, second: Quantifier): readonly Quantifier[] =>
  CHAINS[`${first} ${second}`] ?? [];

/** What follows about B and A from a statement about A and B. */
export const CONVERSES: Readonly<Record<Quantifier, readonly Quantifier[]>> = {
  all: ['some'],
  no: ['no', 'some_not'],
  some: ['some'],
  some_not: [],
};
