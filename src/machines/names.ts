/** The names of a run at the server: its subjects, streams and the buckets of its objects. */

/** The subject under which runs announce themselves, each with its id at the end. */
export const RUNS_SUBJECT = 'rlp.runs';

/** The durable consumers of requests and of answers. */
export const GENERATORS = 'generators';
export const TRAINER = 'trainer';

/** The first characters of a run's id, which tell runs of one name apart for people. All public keys begin with U, which is left out. */
export const shortId = (run: string): string => run.slice(1, 7);

export const runLabel = ({ name, run }: { readonly name: string; readonly run: string }): string =>
  `${name} (${shortId(run)})`;

/** True if `--run TEXT` means this run: its name, its id, or the part of the id that lists show. */
export const isRunNamed = (
  text: string,
  { name, run }: { readonly name: string; readonly run: string },
): boolean => text === name || text === run || text.toUpperCase() === shortId(run);

export interface RunNames {
  /** The subject of requests. */
  readonly ask: string;
  readonly answers: string;
  /** The subject under which machines report, each with its id at the end. */
  readonly machines: string;
  /** The subject of the run's messages to all machines. */
  readonly orders: string;
  readonly askStream: string;
  readonly answerStream: string;
  /** The prefix of its buckets' names. */
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
