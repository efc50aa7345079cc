/** What a run is called at the server: its subjects, streams and the bucket of its objects. */

/** Where runs say that they are there. */
export const RUNS_SUBJECT = 'rlp.runs';

/** Durable consumers: of what is asked, and of the answers. */
export const GENERATORS = 'generators';
export const TRAINER = 'trainer';

export interface RunNames {
  /** Where requests are put. */
  readonly ask: string;
  readonly answers: string;
  /** Where machines say that they are there. */
  readonly machines: string;
  /** What the run tells all machines. */
  readonly orders: string;
  readonly askStream: string;
  readonly answerStream: string;
  readonly bucket: string;
}

export function namesOf(run: string): RunNames {
  return {
    ask: `rlp.${run}.ask`,
    answers: `rlp.${run}.answers`,
    machines: `rlp.${run}.machines`,
    orders: `rlp.${run}.orders`,
    askStream: `rlp-ask-${run}`,
    answerStream: `rlp-answers-${run}`,
    bucket: `rlp-${run}`,
  };
}
