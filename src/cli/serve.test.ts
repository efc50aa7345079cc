import { request } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from './serve.ts';

test('a browser that a foreign name has led here (DNS rebinding) gets nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'served-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'config.json'), '{}');
  const page = await serve({ port: 0, folder });
  onTestFinished(() => page.close());
  const statusFor = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request(`${page.url}config.json`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
  const { port } = new URL(page.url);
  for (const host of [`stranger.example:${port}`, 'stranger.example', `127.0.0.1.stranger.example:${port}`])
    expect(await statusFor(host), `Host: ${host}`).toBe(403);
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`])
    expect(await statusFor(host), `Host: ${host}`).toBe(200);
});
