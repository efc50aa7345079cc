/** `npm start` refuses wrong options before anything is served. */
import { afterEach, expect, test, vi } from 'vitest';
import start from './start.ts';

afterEach(() => vi.restoreAllMocks());

test.each([
  [['--cert', 'cert.pem'], /--cert and --key come together/],
  [['--key', 'key.pem'], /--cert and --key come together/],
  [['--cert', '/nowhere/cert.pem', '--key', '/nowhere/key.pem'], /no file \/nowhere\/cert\.pem/],
  [['--port', '70000'], /from 0 to 65535/],
])('%j is bad input, said in a line', async (words, sentence) => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  expect(await start(words)).toBe(2);
  expect(said.mock.calls.flat().join(' ')).toMatch(sentence);
});
