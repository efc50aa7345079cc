/** What can be found out of a run without changing its weights. */
import type { LoadedModel } from '@rl-playground/engine/parts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { RunDriver } from './driver.ts';
import { likeliestAt } from './likeliest.ts';
import type { Session } from './session.ts';
import type { Looks } from './types.ts';

interface Means {
  readonly driver: RunDriver;
  /** Loads the model before training. */
  readonly untrained: (config: RunConfig) => Promise<LoadedModel | null>;
}

export const LOOKS: {
  readonly [L in keyof Looks]: {
    readonly failure: string;
    readonly see: (session: Session, means: Means, ...asked: Looks[L]['asked']) => Promise<Looks[L]['found']>;
  };
} = {
  evaluation: {
    failure: 'The evaluation failed',
    see: (session, { driver }) => driver.evaluate(session),
  },
  preflight: {
    failure: 'The pre-flight failed',
    see: (session, { driver }) => driver.preflight(session),
  },
  comparison: {
    failure: 'The question was not answered',
    see: (session, { driver, untrained }, question, onText) =>
      driver.compare(session, { question, onText }, untrained),
  },
  likeliest: {
    failure: 'The model could not be asked',
    see: (session, _, asked, stored) => likeliestAt(session, asked, stored),
  },
};
