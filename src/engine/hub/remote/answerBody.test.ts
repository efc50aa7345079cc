/** Answers without end, and of hardly anything: read as far as was asked, then ended. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { heldAlarms } from '@rl-playground/base/testing/heldAlarms';
import { bodyOf, bytesOf, MOST_JSON_BYTES } from './answerBody.ts';
import { OpenFolder } from '../openFolder.ts';
import { openRemote } from './remoteFile.ts';
import { filesOf, findModel } from './remoteModel.ts';
import { ask } from './request.ts';

/** A body that `next` gives piece by piece, and what became of it. */
function streamed(next: () => Uint8Array<ArrayBuffer> | null) {
  const seen = { pieces: 0, ended: false };
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        const piece = next();
        if (piece === null) return controller.close();
        seen.pieces++;
        controller.enqueue(piece);
      },
      cancel: () => void (seen.ended = true),
    },
    { highWaterMark: 0 },
  );
  return { response: new Response(body), seen };
}

describe('a body', () => {
  test('of as many bytes as are allowed comes whole; one of another is refused, and its connection ended', async () => {
    let left = 10;
    const { response } = streamed(() => (left-- > 0 ? new Uint8Array(100).fill(left) : null));
    const bytes = await bodyOf(response, 'it', 1000, {});
    expect(Array.from(bytes.filter((_, i) => i % 100 === 0))).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    const endless = streamed(() => new Uint8Array(100));
    await expect(bodyOf(endless.response, 'it', 1000, {})).rejects.toThrow(
      /it: the server sent more than 1,000 bytes/,
    );
    expect(endless.seen).toEqual({ pieces: 11, ended: true });
  });

  test('is read no further than to the end of a range, and what lies before the range is dropped', async () => {
    let piece = 0;
    const { response, seen } = streamed(() => new Uint8Array(100).fill(piece++));
    const bytes = await bytesOf(response, 'it', 198, 303, {});
    expect(bytes).toHaveLength(105);
    expect([...bytes.subarray(0, 3), ...bytes.subarray(-4)]).toEqual([1, 1, 2, 2, 3, 3, 3]);
    expect(seen).toEqual({ pieces: 4, ended: true });
  });

  test.each([2000, MOST_JSON_BYTES])(
    'of one byte a second ends after 31 s, though %d bytes may come: 30 s, and one for each kB',
    async (most) => {
      const timers = heldAlarms();
      const { response, seen } = streamed(() => {
        timers.pass(1000);
        return new Uint8Array(1);
      });
      await expect(bodyOf(response, 'it', most, { timers })).rejects.toThrow(
        '31 bytes came in 31 s, and 1 kB a second is needed',
      );
      expect(seen.ended).toBe(true);
    },
  );

  test('of 1 kB a second is read to its end', async () => {
    const timers = heldAlarms();
    let left = 100;
    const { response } = streamed(() => {
      timers.pass(1000);
      return left-- > 0 ? new Uint8Array(1000) : null;
    });
    expect(await bodyOf(response, 'it', MOST_JSON_BYTES, { timers })).toHaveLength(100_000);
  });
});

describe('a server that says nothing', () => {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => sockets.add(socket));
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  test('is given up after 30 s for each try', async () => {
    const timers = heldAlarms();
    const asked = ask('it', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {}, { timers });
    timers.pass(30_000);
    await expect(asked).rejects.toThrow('the server said nothing for 30 s');
  });
});

test('a server that calls a text 2 GB is asked for none of it', async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.range);
    response.writeHead(206, { 'Content-Range': `bytes 0-0/${2 ** 31}` }).end('x');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/m/`;
  const model = await findModel({ kind: 'url', url });
  const files = filesOf(model);
  const said = /has 2 GB, and at most 64 MB are read/;
  for (const name of ['config.json', 'tokenizer.json'])
    await expect(new OpenFolder(files).json(name)).rejects.toThrow(said);
  expect(new Set(asked)).toEqual(new Set(['bytes=0-0']));
  server.close();
});

describe('a server that never ends', () => {
  let sent = 0;
  let url = '';
  const pour = (response: ServerResponse, bytes: Uint8Array): void => {
    const more = (): void => {
      while (!response.destroyed) {
        sent += bytes.length;
        if (!response.write(bytes)) return void response.once('drain', more);
      }
    };
    more();
  };
  const server = createServer((request, response) => {
    const part = request.headers.range !== undefined;
    response.writeHead(part ? 206 : 200, part ? { 'Content-Range': 'bytes 0-561/562' } : {});
    pour(response, Buffer.alloc(2 ** 16, ' '));
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  test('is left behind the range that was asked for', async () => {
    const file = openRemote(
      { path: 'config.json', url: `${url}/config.json`, size: 562, sha256: null },
      'm',
      {},
    );
    await expect(file.read(0, 562)).rejects.toThrow(/m: config\.json: the server sent more than 562 bytes/);
    // The difference is in buffers of the system.
    expect(sent).toBeLessThan(32 * 2 ** 20);
  });

  test('and behind the most that a list may have', async () => {
    sent = 0;
    await expect(
      findModel({ kind: 'hub', repo: 'org/name', revision: null, file: null }, { hubUrl: url }),
    ).rejects.toThrow(/the server sent more than 8,388,608 bytes/);
    expect(sent).toBeLessThan(MOST_JSON_BYTES + 32 * 2 ** 20);
  });
});
