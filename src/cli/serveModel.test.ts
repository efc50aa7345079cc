/** The page reads the same bytes of a served model as are on the disk. */
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { OpenFolder, filesAtUrl, filesOnServer, type ModelFiles } from '@rl-playground/engine/parts';
import type { ServedPage } from './serve.ts';
import { serveModel } from './serveModel.ts';

const PAGE = 'http://127.0.0.1:1/';
const disk = filesInFolder(fileURLToPath(new URL('../../public/models/starter', import.meta.url)));
let server: ServedPage;
let served: ModelFiles;
beforeAll(async () => {
  server = await serveModel(disk, PAGE);
  served = await filesOnServer('./starter', server.url);
});
afterAll(() => server.close());

test('its files are listed, and read whole or in pieces', async () => {
  expect([served.label, served.names]).toEqual(['./starter', disk.names]);
  const weights = await new OpenFolder(disk).read('model.safetensors');
  const arrived = await new OpenFolder(served).read('model.safetensors');
  expect(weights && arrived && Buffer.compare(weights, arrived)).toBe(0);
  const file = await served.open('model.safetensors');
  expect(await file?.read(1001, 1017)).toEqual(weights?.subarray(1001, 1017));
  expect(await file?.read(7, 7)).toEqual(new Uint8Array());
  expect(await new OpenFolder(filesAtUrl('x', server.url)).read('config.json')).toEqual(
    await new OpenFolder(disk).read('config.json'),
  );
});

test('nothing else is', async () => {
  expect(await served.open('nothing.json')).toBeNull();
  const status = async (path: string, headers = {}) => (await fetch(server.url + path, { headers })).status;
  expect(await status('nothing.json')).toBe(404);
  expect(await status('..%2F..%2F..%2Fpackage.json')).toBe(404);
  expect(await status('config.json', { Range: 'bytes=9999999-10000000' })).toBe(416);
  const response = await fetch(server.url);
  expect(response.headers.get('access-control-allow-origin')).toBe('http://127.0.0.1:1');
});

test('a server without a list is refused', async () => {
  await expect(filesOnServer('m', `${server.url}config.json`)).rejects.toThrow(
    /^m: .* gave no list of files/,
  );
});

test('a browser that a name of somebody else’s leads here (DNS rebinding) gets nothing', async () => {
  const statusFor = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request(`${server.url}config.json`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
  const { port } = new URL(server.url);
  for (const host of [
    `stranger.example:${port}`,
    'stranger.example',
    `localhost:${port}`,
    `127.0.0.1:1${port}`,
  ])
    expect(await statusFor(host), `Host: ${host}`).toBe(403);
  expect(await statusFor(`127.0.0.1:${port}`)).toBe(200);
});
