/** Runs the project's command-line tools with the present Node, in the same way on every system. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder, with the closing separator. */
export const repository = fileURLToPath(new URL('../..', import.meta.url));

const TOOLS = {
  vite: 'node_modules/vite/bin/vite.js',
  vitest: 'node_modules/vitest/vitest.mjs',
  playwright: 'node_modules/@playwright/test/cli.js',
  oxlint: 'node_modules/oxlint/bin/oxlint',
  tsc: 'node_modules/typescript/bin/tsc',
  oxfmt: 'node_modules/oxfmt/bin/oxfmt',
} as const;
export type ToolName = keyof typeof TOOLS;

/**
 * Programs in Go. Side by side, their type checkers work out the same types again for each of them, and with the usual limits they clean up
 * their memory a dozen times: together that is a third of their processor time.
 */
const ONE_CHECKER = { GOMAXPROCS: '1', GOGC: '400' };
const ENVIRONMENTS: Partial<Record<ToolName, Readonly<Record<string, string>>>> = {
  oxlint: ONE_CHECKER,
  tsc: ONE_CHECKER,
};

/** Runs a tool in the repository's folder; its output goes to our standard streams, or to `print`. Resolves to its exit code. */
export async function runTool(
  tool: ToolName,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  print?: (text: string) => void,
): Promise<number> {
  const child = spawn(process.execPath, [join(repository, TOOLS[tool]), ...args], {
    cwd: repository,
    stdio: print === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...ENVIRONMENTS[tool], ...environment },
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => print?.(text));
  }
  // Tools close their browsers when interrupted. Ctrl-C reaches them by itself, a termination does not.
  const interrupt = () => child.kill('SIGINT');
  process.once('SIGTERM', interrupt);
  return new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  }).finally(() => process.off('SIGTERM', interrupt));
}
