/** Hugging Face's names of the weights that are no block's. */
export const EMBEDDING = 'model.embed_tokens.weight';
export const FINAL_NORM = 'model.norm.weight';
/** A model with a tied head has none. */
export const HEAD = 'lm_head.weight';
