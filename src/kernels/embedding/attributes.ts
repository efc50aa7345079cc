export interface EmbeddingGradientAttributes {
  readonly vocabSize: number;
}
