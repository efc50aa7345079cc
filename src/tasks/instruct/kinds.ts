/** The kinds of constraints, in the families of IFEval (Zhou et al. 2023). What they ask and how it is put are this project's own. */
import { CONTENT_KINDS } from './contentKinds.ts';
import { FORM_KINDS } from './formKinds.ts';
import type { Constraint, Kind } from './constraint.ts';

/** All kinds by name. A worked answer is made to meet one after the other, in this order. */
export const KINDS = { ...CONTENT_KINDS, ...FORM_KINDS };
export type KindName = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[];

export const kindOf = (name: KindName): Kind => KINDS[name];

/** A constraint with the name of its kind, as a problem keeps it. */
export interface NamedConstraint extends Constraint {
  readonly kind: KindName;
}
