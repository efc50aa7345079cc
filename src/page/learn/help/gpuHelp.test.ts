import { expect, it } from 'vitest';
import { gpuHelp } from './gpuHelp.ts';

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64';
const SAFARI = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15';
const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

it.each([
  [`${MAC} ${SAFARI}`, 'Safari has WebGPU from version 26'],
  [`${MAC} ${CHROME}`, 'chrome://settings/system'],
  [`${LINUX}) ${CHROME}`, 'Vulkan'],
  [`${LINUX}; rv:140.0) Gecko/20100101 Firefox/140.0`, 'Firefox on Linux'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'version 141'],
  [`Mozilla/5.0 (Linux; Android 11; Pixel 3) ${CHROME}`, 'Android 12'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 CriOS/140.0 Mobile/15E148 Safari/604.1',
    'iOS 26',
  ],
])('%s', (userAgent, words) => {
  expect(gpuHelp({ userAgent, isSecure: true, hasApi: false }).join(' ')).toContain(words);
});

it('asks for a secure page first', () => {
  expect(gpuHelp({ userAgent: `${MAC} ${CHROME}`, isSecure: false, hasApi: false })[0]).toContain('https://');
});
