/** IFEval's strict and loose verdict on an answer. */
import { stripSpace } from '../python/text.ts';
import { kindOf, type NamedConstraint } from './kinds.ts';

/** Says what is wrong with a text under a constraint, or gives null. An empty text meets none. */
export function faultOf(text: string, constraint: NamedConstraint): string | null {
  if (stripSpace(text) === '') return 'found an empty answer';
  return kindOf(constraint.kind).fault(text, constraint);
}

/** The texts of which one has to meet a constraint for the loose verdict: without the first line, the last or both, and all without asterisks. */
function looseTexts(text: string): string[] {
  const lines = text.split('\n');
  const cut = [lines.slice(1), lines.slice(0, -1), lines.slice(1, -1)].map((rest) =>
    stripSpace(rest.join('\n')),
  );
  return [text, ...cut].flatMap((each) => [each, each.replaceAll('*', '')]);
}

export interface Verdict {
  /** The faults of the text as it is, one for each constraint that it misses. */
  readonly faults: readonly string[];
  /** True if each constraint is met by the text or by one of its loose forms. */
  readonly loose: boolean;
}

export function verdictOf(text: string, constraints: readonly NamedConstraint[]): Verdict {
  const found = constraints.map((constraint) => ({ constraint, fault: faultOf(text, constraint) }));
  const faults = found.flatMap(({ fault }) => (fault === null ? [] : [fault]));
  const texts = faults.length === 0 ? [] : looseTexts(text);
  const loose = found.every(
    ({ constraint, fault }) => fault === null || texts.some((each) => faultOf(each, constraint) === null),
  );
  return { faults, loose };
}
