/** Hugging Face's names of the weights outside of the blocks. */
export const EMBEDDING = 'model.embed_tokens.weight';
export const FINAL_NORM = 'model.norm.weight';
/** The head; a model with a tied head has none. */
export const HEAD = 'lm_head.weight';
