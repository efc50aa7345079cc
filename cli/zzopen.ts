import { chromium } from 'playwright';
import { readdirSync, readFileSync } from 'node:fs';
import { findBrowser, launchArguments } from './browser.ts';
import { serve } from './serve.ts';
const host = await serve({ port: 4999 });
const browser = await chromium.launch({ ...findBrowser(), args: launchArguments('webgpu') });
const s = await browser.newBrowserCDPSession();
const cpu = async () => {
  const { processInfo } = await s.send('SystemInfo.getProcessInfo');
  const m = new Map<string, number>();
  for (const p of processInfo) {
    try {
      for (const t of readdirSync(`/proc/${p.id}/task`)) {
        const st = readFileSync(`/proc/${p.id}/task/${t}/stat`, 'utf8');
        const name = st.slice(st.indexOf('(') + 1, st.lastIndexOf(')'));
        const f = st.slice(st.lastIndexOf(')') + 2).split(' ');
        const k = `${p.type} ${name}`;
        m.set(k, (m.get(k) ?? 0) + (Number(f[11]) + Number(f[12])) / 100);
      }
    } catch {}
  }
  return m;
};
for (let i = 0; i < 3; i++) {
  const before = await cpu();
  const context = await browser.newContext();
  const page = await context.newPage();
  const t = performance.now();
  await page.goto('http://127.0.0.1:4999/?backend=wasm' + (process.argv[2] ?? ''));
  await page.getByTestId('train-button').isEnabled();
  await page.waitForFunction(
    () => !document.querySelector('[data-testid=train-button]')?.hasAttribute('disabled'),
  );
  const w = performance.now() - t;
  await page.waitForTimeout(300);
  const after = await cpu();
  let sum = 0;
  const rows: [string, number][] = [];
  for (const [k, v] of after) {
    const d = v - (before.get(k) ?? 0);
    sum += d;
    if (d >= 0.03) rows.push([k, d]);
  }
  console.log(i, 'wall', w.toFixed(0), 'cpu', sum.toFixed(2));
  for (const [k, d] of rows.sort((a, b) => b[1] - a[1])) console.log('   ', d.toFixed(2), k);
  await context.close();
}
await browser.close();
await host.close();
