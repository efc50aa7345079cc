import { deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { linkedJson, valueOfLinked } from './linkedJson.ts';

const byZlib = (json: string): string => deflateRawSync(json).toString('base64url');

it('reads what zlib deflates, and writes in characters that links leave alone', async () => {
  const value = [1, { name: 'Größe ±', empty: null }];
  expect(await valueOfLinked(byZlib(JSON.stringify(value)))).toEqual(value);
  const text = await linkedJson(value);
  expect(text).toMatch(/^[\w-]+$/);
  expect(await valueOfLinked(text ?? '')).toEqual(value);
});

it('refuses what comes to more than a megabyte, and what is no JSON', async () => {
  await expect(valueOfLinked(byZlib(`"${'a'.repeat(2 ** 20)}"`))).rejects.toThrow(
    'it comes to more than 1,048,576 bytes',
  );
  await expect(valueOfLinked(byZlib('<b>'))).rejects.toThrow(SyntaxError);
});
