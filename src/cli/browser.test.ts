import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findBrowser } from './browser.ts';

const folder = mkdtempSync(join(tmpdir(), 'rl-playground-browser-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fakeBrowser(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, '');
  chmodSync(path, 0o755);
  return path;
}

test('CHROME_PATH comes first, then Chrome before Chromium before Edge on PATH', () => {
  const edge = fakeBrowser('microsoft-edge');
  expect(findBrowser({ PATH: folder }, 'linux')).toBe(edge);
  const chromium = fakeBrowser('chromium');
  expect(findBrowser({ PATH: folder }, 'linux')).toBe(chromium);
  const chrome = fakeBrowser('google-chrome');
  expect(findBrowser({ PATH: folder }, 'linux')).toBe(chrome);
  expect(findBrowser({ PATH: folder, CHROME_PATH: edge }, 'linux')).toBe(edge);
});

test('a CHROME_PATH that is not there is an error that names it', () => {
  expect(() => findBrowser({ CHROME_PATH: join(folder, 'none') }, 'linux')).toThrow(join(folder, 'none'));
});
