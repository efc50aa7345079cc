/** Addresses of servers. */
import { expect, test } from 'vitest';
import { addressWithToken, parseServerAddress } from './addresses.ts';

test.each([
  ['nats://abc@host', 'nats://host:4222', 'abc', false],
  ['nats://host:80', 'nats://host:80', null, false],
  ['tls://abc@host:5000', 'tls://host:5000', 'abc', false],
  ['ws://a%40b@192.168.0.5:8080', 'ws://192.168.0.5:8080', 'a@b', true],
  ['wss://user:abc@host/nats', 'wss://host:443/nats', 'abc', true],
  ['nats://abc@[::1]:4222', 'nats://[::1]:4222', 'abc', false],
])('%s', (text, url, token, webSocket) => {
  const address = parseServerAddress(text);
  expect(address).toEqual({ url, token, webSocket });
  expect(parseServerAddress(addressWithToken(address))).toEqual(address);
});

test.each(['', 'host:4222', 'http://abc@host', 'nats://', 'nats://abc@host/path', 'ws://%E0%A4@host'])(
  '"%s" is no address, and what is said of it names a right one',
  (text) => expect(() => parseServerAddress(text)).toThrow('nats://TOKEN@host:4222'),
);
