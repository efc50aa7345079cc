/**
 * Captures the output of a program of this folder, for tests that run it in their own process: starting another one takes a second or
 * more of a processor.
 */
import { vi } from 'vitest';
import type { Program } from '../program.ts';

export interface Captured {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function captured(program: Program, ...words: readonly string[]): Promise<Captured> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const into =
    (texts: string[], end = '') =>
    (text: unknown): boolean => {
      texts.push(`${String(text)}${end}`);
      return true;
    };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(into(stdout)),
    vi.spyOn(console, 'log').mockImplementation(into(stdout, '\n')),
    vi.spyOn(console, 'error').mockImplementation(into(stderr, '\n')),
  ];
  try {
    const code = await program(words);
    return { code, stdout: stdout.join(''), stderr: stderr.join('') };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
