/** Processes that this one has started, and those below them, read from /proc: on Linux alone. */
import { readdirSync, readFileSync } from 'node:fs';

const PAGE_BYTES = 4096;

export interface RunningProcess {
  readonly pid: number;
  /** Its command line. */
  readonly words: string;
  /** Bytes. */
  readonly resident: number;
}

export function processesBelow(): RunningProcess[] {
  const parents = new Map<number, number>();
  const found: RunningProcess[] = [];
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      parents.set(Number(name), Number(fields[1]));
      found.push({ pid: Number(name), words, resident: PAGE_BYTES * Number(fields[21]) });
    } catch {
      // It has ended since.
    }
  }
  const isBelow = ({ pid }: RunningProcess): boolean => {
    for (let at = pid; at > 1; at = parents.get(at) ?? 0) if (at === process.pid) return true;
    return false;
  };
  return found.filter(isBelow);
}
