/** The growth of a browser's pages in memory, as Linux counts it in /proc. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Browser } from '@playwright/test';

interface Process {
  readonly id: number;
  readonly type: string;
}

/** Processes that run pages and their workers. */
async function renderers(browser: Browser): Promise<readonly number[]> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return (processInfo as readonly Process[]).filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

const kilobytes = (id: number, field: 'VmHWM' | 'VmRSS'): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0);

/** Starts to measure memory. The returned function gives the peak growth, in bytes, of the page that grew the most; null if there is no /proc. */
export async function watchGrowth(browser: Browser): Promise<() => number | null> {
  const ids = (await renderers(browser)).filter((id) => existsSync(`/proc/${id}/clear_refs`));
  const before = ids.map((id) => {
    // 5 lets the peak begin anew (proc(5)).
    writeFileSync(`/proc/${id}/clear_refs`, '5');
    return { id, kilobytes: kilobytes(id, 'VmRSS') };
  });
  return () =>
    before.length === 0
      ? null
      : 1024 * Math.max(...before.map((process) => kilobytes(process.id, 'VmHWM') - process.kilobytes));
}
