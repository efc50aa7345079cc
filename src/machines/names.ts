/** What a run is called at the server: its subjects, streams and the buckets of its objects. */

/** Where runs say that they are there, each under its id behind this. */
export const RUNS_SUBJECT = 'rlp.runs';

/** Durable consumers: of what is asked, and of the answers. */
export const GENERATORS = 'generators';
export const TRAINER = 'trainer';

/** What tells runs of one name apart, for people: the run's id begins with it, behind the U of all public keys. */
export const shortId = (run: string): string => run.slice(1, 7);

/** As runs are listed. */
export const runLabel = ({ name, run }: { readonly name: string; readonly run: string }): string =>
  `${name} (${shortId(run)})`;

/** Whether `--run TEXT` means this run: its name, its id, or as much of that as lists show. */
export const isRunNamed = (
  text: string,
  { name, run }: { readonly name: string; readonly run: string },
): boolean => text === name || text === run || text.toUpperCase() === shortId(run);

export interface RunNames {
  /** Where requests are put. */
  readonly ask: string;
  readonly answers: string;
  /** Where machines say that they are there, each under its id behind this. */
  readonly machines: string;
  /** What the run tells all machines. */
  readonly orders: string;
  readonly askStream: string;
  readonly answerStream: string;
  /** What the names of its buckets begin with. */
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
