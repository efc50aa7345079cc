/** Links that invite generators. */
import { expect, test } from 'vitest';
import { parseServerAddress } from './addresses.ts';
import { invitationLink, isInvitation, isLocalAddress, readInvitation } from './invitation.ts';

test.each([
  ['ws://secret@192.168.0.5:8080', null, 'sum_digits'],
  ['wss://a%26b%25%2B%40c@play.example.org:443/hub', 'my run & yours', null],
  ['ws://192.168.0.5:8080', 'sum_digits', 'a task = mine'],
])('%s comes out of its link again', (address, run, task) => {
  const server = parseServerAddress(address);
  const link = new URL(invitationLink('http://192.168.0.5:4173/play/?task=chess#old', { server, run, task }));
  expect(link.origin + link.pathname + link.search).toBe('http://192.168.0.5:4173/play/');
  expect(isInvitation(link.hash)).toBe(true);
  expect(readInvitation(link.hash)).toEqual({ server, run, task });
});

test('a link is short enough to be read', () => {
  const server = parseServerAddress('ws://abcDEF123@192.168.0.5:8080');
  expect(invitationLink('http://192.168.0.5:4173/', { server, run: null, task: null })).toBe(
    'http://192.168.0.5:4173/#join=ws://abcDEF123@192.168.0.5:8080',
  );
});

test.each([
  ['#join=nats://secret@192.168.0.5:4222', /by WebSocket only: write ws:\/\/ .* in place of nats:\/\/192/],
  ['#join=', /not one: write/],
  ['#join=http://secret@host', /not one: write/],
])('%s is refused in a sentence without the token', (hash, sentence) => {
  expect(() => readInvitation(hash)).toThrow(sentence);
  expect(() => readInvitation(hash)).not.toThrow(/secret/);
});

test.each(['', '#', '#results', '#?join=ws://a@b:1', '#joining=1'])('%j invites nobody', (hash) => {
  expect(isInvitation(hash)).toBe(false);
});

test.each([
  ['http://localhost:4173/', true],
  ['ws://127.0.0.1:8080', true],
  ['http://[::1]:4173/', true],
  ['wss://192.168.0.5:8080', false],
  ['https://localhost.example.org/', false],
])('%s: local is %s', (url, local) => {
  expect(isLocalAddress(url)).toBe(local);
});
