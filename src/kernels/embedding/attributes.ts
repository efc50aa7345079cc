export interface EmbeddingAttributes {
  /** First element of the table in its tensor. */
  readonly tableOffset: number;
  readonly vocabSize: number;
  readonly width: number;
}

export interface EmbeddingGradientAttributes {
  readonly targetOffset: number;
  readonly vocabSize: number;
}
