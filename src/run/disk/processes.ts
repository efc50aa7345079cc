/** Processes that this one has started, and those below them, read from /proc: on Linux alone. */
import { readdirSync, readFileSync } from 'node:fs';

const PAGE_BYTES = 4096;

/**
 * Linux's state of a process (proc(5), `stat`), from the 3rd field on: the name of the program before it is in parentheses and may hold
 * anything.
 * @throws where there is no such process.
 */
export function statOf(pid: number | string): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

export interface RunningProcess {
  readonly pid: number;
  /** Its command line. */
  readonly words: string;
  /** Bytes of memory. */
  readonly resident: number;
}

/** Returns a process, by default this one, and those below it. */
export function processesBelow(root: number = process.pid): RunningProcess[] {
  const parents = new Map<number, number>();
  const found: RunningProcess[] = [];
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = statOf(name);
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      parents.set(Number(name), Number(fields[1]));
      found.push({ pid: Number(name), words, resident: PAGE_BYTES * Number(fields[21]) });
    } catch {
      // It has ended since.
    }
  }
  const isBelow = ({ pid }: RunningProcess): boolean => {
    for (let at = pid; at > 1; at = parents.get(at) ?? 0) if (at === root) return true;
    return false;
  };
  return found.filter(isBelow);
}
