/** The tokens of a model with their ids. */
export type Vocabulary = ReadonlyMap<string, number>;

/** Cuts a text that is not empty into the ids of tokens. */
export type Model = (text: string) => readonly number[];
