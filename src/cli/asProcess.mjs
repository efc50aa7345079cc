/** Runs a program of the command line as a process: its exit code, its errors in one line, and the end of its output's reader. */

/**
 * Runs a program. Errors print their message alone, and with DEBUG in the environment their stack.
 *
 * @param {() => Promise<import('./program.ts').Program | undefined>} load undefined for one that does its work when it is loaded
 * @param {readonly string[]} words
 */
export async function asProcess(load, words) {
  /** @type {(text: string) => void} */
  let print = console.error;
  // Emscripten's glue rethrows uncaught errors from one 37 kB line, which Node would print whole: so ours come first.
  const fail = (/** @type {unknown} */ error) => {
    const withStack = process.env.DEBUG !== undefined;
    print(error instanceof Error ? ((withStack ? error.stack : null) ?? error.message) : String(error));
    process.exit(1);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      // A program that ends in order listens itself (interruption.ts).
      if (stream.listenerCount('error') > 1) return;
      // The reader of the output has what it wanted: `… | head`.
      if (error.code === 'EPIPE') process.exit(141);
      fail(error);
    });
  process.setSourceMapsEnabled(true);
  const program = await load();
  if (program === undefined) return;
  print = program.printProblem ?? print;
  process.exitCode = await program(words);
}
