import { nkeys } from '@nats-io/nats-core';
import { describe, expect, test } from 'vitest';
import { sign, verify, verifyInPage } from './signatures.ts';

const key = nkeys.createUser();
const name = key.getPublicKey();
const message = new TextEncoder().encode('a message');

const VERIFIERS = [
  ['under Node', verify],
  ['in a page', verifyInPage],
] as const;

test('Node’s signatures are those of NATS’ own keys', () => {
  expect([...sign(key, message)]).toEqual([...key.sign(message)]);
  expect(nkeys.fromPublic(name).verify(message, sign(key, message))).toBe(true);
});

describe.each(VERIFIERS)('a signature, looked at %s', (_, looked) => {
  test('of the key’s owner is one; of another key, of another message, or that was changed is none', async () => {
    const signature = key.sign(message);
    expect(await looked(name, message, signature)).toBe(true);
    expect(await looked(nkeys.createUser().getPublicKey(), message, signature)).toBe(false);
    expect(await looked(name, message.slice(1), signature)).toBe(false);
    const changed = signature.map((byte, i) => (i === 5 ? byte ^ 1 : byte));
    expect(await looked(name, message, changed)).toBe(false);
    expect(await looked(name, message, signature.slice(1))).toBe(false);
  });

  test.each([['U'.repeat(56)], [''], [`${name.slice(0, -1)}?`]])('has no key %j', async (text) => {
    await expect(looked(text, message, sign(key, message))).rejects.toThrow(/./);
  });
});
