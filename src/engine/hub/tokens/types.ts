/** The tokens of a model with their ids. */
export type Vocabulary = ReadonlyMap<string, number>;

/** Cuts a text that is not empty into the ids of tokens. */
export type Model = (text: string) => readonly number[];

/** Changes a text before it is cut. */
export type Normalizer = (text: string) => string;

/** A part of a text. `isFirst` is true for one that begins where the whole text begins. */
export interface Piece {
  readonly text: string;
  readonly isFirst: boolean;
}
