import { nkeys } from '@nats-io/nats-core';
import { expect, test } from 'vitest';
import { sign, verify } from './signatures.ts';

const key = nkeys.createUser();
const name = key.getPublicKey();
const message = new TextEncoder().encode('a message');

test('Node’s signatures are those of NATS’ own keys, and each takes the other’s', () => {
  const signature = sign(key, message);
  expect([...signature]).toEqual([...key.sign(message)]);
  expect(nkeys.fromPublic(name).verify(message, signature)).toBe(true);
  expect(verify(name, message, key.sign(message))).toBe(true);
});

test('one of another key, of another message, or that was changed is none', () => {
  const signature = sign(key, message);
  expect(verify(nkeys.createUser().getPublicKey(), message, signature)).toBe(false);
  expect(verify(name, message.slice(1), signature)).toBe(false);
  const changed = signature.map((byte, i) => (i === 5 ? byte ^ 1 : byte));
  expect(verify(name, message, changed)).toBe(false);
});

test.each([['U'.repeat(56)], [''], [`${name.slice(0, -1)}?`]])('%j is no key', (text) => {
  expect(() => verify(text, message, sign(key, message))).toThrow(/./);
});
