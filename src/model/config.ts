/** The architecture of a Llama-shaped causal LM, read from a Hugging Face `config.json`. */
export interface RopeScaling {
  readonly type: 'linear' | 'llama3';
  readonly factor: number;
  /** llama3 only. */
  readonly lowFreqFactor: number;
  readonly highFreqFactor: number;
  readonly originalMaxPositions: number;
}

export interface ModelConfig {
  readonly modelType: 'llama' | 'qwen2' | 'qwen3';
  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly mlpSize: number;
  readonly rmsEps: number;
  readonly ropeTheta: number;
  readonly ropeScaling: RopeScaling | null;
  readonly maxPositions: number;
  readonly tiedHead: boolean;
  /** Bias on q, k and v (Qwen2); Llama's `attention_bias` also puts one on o. */
  readonly qkvBias: boolean;
  readonly outBias: boolean;
  readonly mlpBias: boolean;
  /** RMSNorm over each head of q and k before RoPE (Qwen3). */
  readonly qkNorm: boolean;
}
