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

/** Where sweeps say that they are there. */
export const SWEEPS_SUBJECT = 'rlp.sweeps';
/** Durable consumers: of the runs of a sweep, and of what they have come to. */
export const RUNNERS = 'runners';
export const SWEEPER = 'sweeper';

export interface SweepNames {
  /** Each run by its number behind this. */
  readonly runs: string;
  readonly results: string;
  /** For what a machine can't put into the queue of results. */
  readonly troubles: string;
  /** What the sweep tells all machines. */
  readonly orders: string;
  readonly runStream: string;
  readonly resultStream: string;
  /** What the names of its buckets begin with. */
  readonly bucket: string;
}

export function namesOfSweep(sweep: string): SweepNames {
  return {
    runs: `rlp.${sweep}.runs`,
    results: `rlp.${sweep}.results`,
    troubles: `rlp.${sweep}.troubles`,
    orders: `rlp.${sweep}.orders`,
    runStream: `rlp-runs-${sweep}`,
    resultStream: `rlp-results-${sweep}`,
    bucket: `rlp-${sweep}`,
  };
}
