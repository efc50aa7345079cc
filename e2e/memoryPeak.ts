/** The memory of a browser's pages as the system counts it: on Linux alone, from /proc. */
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

/** Bytes by which the largest of them grew at most since this was called; null where that can't be told. */
export async function watchMemory(browser: Browser): Promise<() => number | null> {
  const ids = (await renderers(browser)).filter((id) => existsSync(`/proc/${id}/clear_refs`));
  const before = new Map(
    ids.map((id) => {
      // 5 lets the peak begin anew (proc(5)).
      writeFileSync(`/proc/${id}/clear_refs`, '5');
      return [id, kilobytes(id, 'VmRSS')];
    }),
  );
  return () => {
    const grown = [...before].map(([id, start]) => kilobytes(id, 'VmHWM') - start);
    return grown.length === 0 ? null : 1024 * Math.max(...grown);
  };
}
