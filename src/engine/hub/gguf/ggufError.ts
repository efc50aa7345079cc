/** A GGUF file that can't be used. The message says what was found and what to do; whoever opened the file adds its name. */
export class GgufError extends Error {}
