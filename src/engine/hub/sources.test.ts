import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModelFileError } from './types.ts';
import { filesAtUrl, filesInMemory } from './sources.ts';

const answers: Record<string, RequestListener> = {
  '/m/data.bin': (_, response) => {
    response.writeHead(200, { 'content-length': 6 }).write(new Uint8Array([1, 2, 3]));
    response.end(new Uint8Array([4, 5, 6]));
  },
  '/m/page.json': (_, response) => response.end('\n<!DOCTYPE html><html><body>app</body></html>'),
  '/m/broken.json': (_, response) => response.writeHead(503).end(),
  '/m/cut.bin': (_, response) => {
    response.writeHead(200, { 'content-length': 6 });
    response.write(new Uint8Array(3), () => response.destroy());
  },
  '/m/hangs.bin': (_, response) => response.writeHead(200, { 'content-length': 6 }).write(new Uint8Array(3)),
};
const server = createServer((request, response) => {
  const answer = answers[request.url ?? ''];
  if (answer) answer(request, response);
  else response.writeHead(404).end('none');
});
let base = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/m`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('filesAtUrl', () => {
  it('streams a file with progress', async () => {
    const seen: [number, number][] = [];
    const file = await filesAtUrl('m', base).open('data.bin', {
      onProgress: (done, total) => seen.push([done, total]),
    });
    expect(await file?.read(0, 6)).toEqual(new Uint8Array([1, 2, 3, 4, 5, 6]));
    expect(await file?.read(1, 3)).toEqual(new Uint8Array([2, 3]));
    expect(seen.at(-1)).toEqual([6, 6]);
    expect((await filesAtUrl('m', `${base}/`).open('data.bin'))?.size).toBe(6);
  });

  it('takes a 404 and a web page in place of a file for missing', async () => {
    expect(await filesAtUrl('m', base).open('none.json')).toBeNull();
    expect(await filesAtUrl('m', base).open('page.json')).toBeNull();
  });

  it.each([
    ['broken.json', /answered 503/],
    ['cut.bin', /cut\.bin could not be fetched/],
  ])('says why %s failed', async (name, message) => {
    await expect(filesAtUrl('m', base).open(name)).rejects.toThrow(ModelFileError);
    await expect(filesAtUrl('m', base).open(name)).rejects.toThrow(message);
  });

  it('says when nobody answers', async () => {
    await expect(filesAtUrl('m', 'http://127.0.0.1:1').open('x')).rejects.toThrow(
      /m: x could not be fetched/,
    );
  });

  it('stops in the middle of a file when aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped by test');
    const read = filesAtUrl('m', base).open('hangs.bin', {
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    await expect(read).rejects.toBe(reason);
  });
});

describe('filesInMemory', () => {
  it('lists and reads what it was given', async () => {
    const files = filesInMemory('zip', new Map([['a', new Uint8Array([7])]]));
    expect(files.names).toEqual(['a']);
    expect(await (await files.open('a'))?.read(0, 1)).toEqual(new Uint8Array([7]));
    expect(await files.open('b')).toBeNull();
  });
});
