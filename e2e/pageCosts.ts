/** What a browser's pages take of the machine, as the system counts it: on Linux from /proc. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Browser } from '@playwright/test';
import { statOf } from '../cli/processes.ts';

interface Process {
  readonly id: number;
  readonly type: string;
}

export interface PageCosts {
  /** Of all cores together; by the clock, which counts what others on the machine do too, where /proc is missing. */
  readonly seconds: number;
  /** Bytes by which the largest process grew at most; null where /proc is missing. */
  readonly grownBy: number | null;
}

/** What /proc counts time in, on every Linux (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;

/** Processes that run pages and their workers. */
async function renderers(browser: Browser): Promise<readonly number[]> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return (processInfo as readonly Process[]).filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

const kilobytes = (id: number, field: 'VmHWM' | 'VmRSS'): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0);

/** utime and stime, the 14th and 15th field. */
function processorSeconds(id: number): number {
  const fields = statOf(id);
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** What the pages that are open have taken since this was called. */
export async function watchCosts(browser: Browser): Promise<() => PageCosts> {
  const ids = (await renderers(browser)).filter((id) => existsSync(`/proc/${id}/clear_refs`));
  const before = ids.map((id) => {
    // 5 lets the peak begin anew (proc(5)).
    writeFileSync(`/proc/${id}/clear_refs`, '5');
    return { id, kilobytes: kilobytes(id, 'VmRSS'), seconds: processorSeconds(id) };
  });
  const start = performance.now();
  return () => {
    if (before.length === 0) return { seconds: (performance.now() - start) / 1000, grownBy: null };
    return {
      seconds: before.reduce((sum, { id, seconds }) => sum + processorSeconds(id) - seconds, 0),
      grownBy:
        1024 * Math.max(...before.map((process) => kilobytes(process.id, 'VmHWM') - process.kilobytes)),
    };
  };
}
