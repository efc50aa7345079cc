/** The questions that a run answers. */
import type { RunDriver } from './driver.ts';
import type { Session } from './session.ts';

/** The ways to find something out of a run: the driver's methods that change no weights. */
export type Look =
  | 'evaluate'
  | 'preflight'
  | 'chat'
  | 'untrained'
  | 'likeliest'
  | 'updateSeen'
  | 'gradientSeen';
export type Asked<L extends Look> = Parameters<RunDriver[L]> extends [Session, ...infer A] ? A : never;
export type Found<L extends Look> = Awaited<ReturnType<RunDriver[L]>>;
export type Sights = { readonly [L in Look]: (session: Session, ...asked: Asked<L>) => Promise<Found<L>> };

/** The titles of notices where something could not be found out. */
export const UNSEEN: Record<Look, string> = {
  evaluate: 'The evaluation failed',
  preflight: 'The check before step 1 failed',
  chat: 'The question was not answered',
  untrained: 'The untrained prompts were not answered',
  likeliest: 'The model could not be asked',
  updateSeen: 'The update could not be drawn',
  gradientSeen: 'The gradient could not be measured',
};

/** The questions that a run on the device answers between two of its steps. */
export const BETWEEN_STEPS: ReadonlySet<Look> = new Set<Look>([
  'chat',
  'untrained',
  'likeliest',
  'updateSeen',
  'gradientSeen',
]);
