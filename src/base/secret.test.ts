import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Secret, secretOf } from './secret.ts';

const secret = new Secret('hf_abc', 'https://hub.example/some/path', ['abc']);

test.each([
  ['https://hub.example', 'hf_abc'],
  ['https://hub.example/org/model?x=1', 'hf_abc'],
  ['https://HUB.example:443/', 'hf_abc'],
  ['http://hub.example/', null],
  ['https://hub.example:8443/', null],
  ['https://hub.example.evil.org/', null],
  ['https://evil.org/https://hub.example/', null],
  ['https://hub.example@evil.org/', null],
  ['https://sub.hub.example/', null],
  ['hub.example', null],
  ['', null],
])('to %s goes %s', (url, sent) => {
  expect(secret.sentTo(url)).toBe(sent);
});

test('it is in nothing that is printed or written', () => {
  expect(`${JSON.stringify({ secret })} ${inspect(secret, { depth: null, showHidden: true })}`).not.toContain(
    'abc',
  );
  expect(secret.hiddenIn('the key hf_abc, and abc alone')).toBe('the key ***, and *** alone');
});

test('an empty text is none, and spaces around one are none of it', () => {
  expect(secretOf(undefined, 'https://a.example')).toBeUndefined();
  expect(secretOf(' ', 'https://a.example')).toBeUndefined();
  expect(secretOf(' x ', 'https://a.example')?.sentTo('https://a.example')).toBe('x');
});
