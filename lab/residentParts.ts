/** Divides the resident memory of a browser's process among its owners, by its mappings under Linux. */
import { readFileSync } from 'node:fs';

export interface ResidentParts {
  /** The browser's program and its libraries, which its processes share. */
  readonly program: number;
  /** The heaps of WebAssembly, the largest first: of the page's thread and its SIMD threads, and of each generator. */
  readonly heaps: readonly number[];
  /** The bytes of JavaScript and of the browser itself. */
  readonly others: number;
}

/** A heap begins at a multiple of this, because its address space is reserved as a whole. */
const RESERVED = 0x1_0000_0000;
/** The bytes at its start that may be a mapping of their own. */
const START = 2 ** 20;
/** Heaps of at least this many bytes are counted: tfjs' begin with 17 MB. */
const LEAST = 2 ** 24;

/** Divides what is resident of a process, given its `/proc/PID/smaps`. */
export function residentParts(smaps: string): ResidentParts {
  let [program, others] = [0, 0];
  const heaps: number[] = [];
  for (const [, address = '', name = '', resident = ''] of smaps.matchAll(
    /^([0-9a-f]+)-\S+ \S+ \S+ \S+ \S+ *(.*)\n(?:[A-Z]\S*:.*\n)*?Rss: +(\d+) kB$/gm,
  )) {
    const bytes = 1024 * Number(resident);
    if (name.startsWith('/')) program += bytes;
    else if (name === '' && bytes >= LEAST && parseInt(address, 16) % RESERVED < START) heaps.push(bytes);
    else others += bytes;
  }
  return { program, heaps: heaps.sort((a, b) => b - a), others };
}

/** The parts of a running process. */
export const residentPartsOf = (pid: number): ResidentParts =>
  residentParts(readFileSync(`/proc/${pid}/smaps`, 'utf8'));
