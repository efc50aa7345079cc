/** A user's program, made ready for the interpreter. */

/** The file name in error messages. */
export const PROGRAM_NAME = 'score.ts';

/** Finds the function that the program defines or exports. */
export const FIND_SCORE =
  "(typeof score === 'function' ? score : typeof module.exports === 'function' ? module.exports : module.exports.score ?? module.exports.default ?? exports.score ?? exports.default)";

/**
 * TypeScript to JavaScript: types are taken out, imports and exports become `require` and `exports`; lines stay where they are.
 * Throws an error with line and column where the program can't be read.
 */
export async function stripTypes(source: string): Promise<string> {
  const { transform } = await import('sucrase');
  return transform(source, {
    transforms: ['typescript', 'imports'],
    disableESTransforms: true,
    production: true,
    filePath: PROGRAM_NAME,
  }).code;
}
