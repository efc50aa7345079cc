/** Other runs in a chart. */

/** Another run, or several seeds, drawn beside the current one. */
export interface Overlay {
  readonly name: string;
  readonly colour: string;
  /** What others are held against. */
  readonly pinned: boolean;
  /** Of its mean of the first curve among the series of the rows; both ends of its interval follow, then the next curve. */
  readonly index: number;
  /** Of a recording, how often it was played. */
  readonly plays?: number;
}

/** The curve at each place, in other runs: their colour says which run, the dashes say which curve. */
export const DASHES = ['', '6 3', '2 3', '9 3 2 3', '1 4'] as const;
