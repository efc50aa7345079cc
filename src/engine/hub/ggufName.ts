/** True for the name of a GGUF file. */
export const isGgufName = (name: string): boolean => /\.gguf$/i.test(name);
