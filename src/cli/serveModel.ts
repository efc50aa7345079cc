/** A model's files for the built page: listed, and in pieces, so that neither side holds a large one. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { messageOf } from '@rl-playground/base/errors';
import type { ModelFiles, OpenFile } from '@rl-playground/engine/parts';
import { closed, listening, type ServedPage } from './serve.ts';

/** Bytes that are read at a time. */
const PIECE = 4 * 2 ** 20;

/** Serves the files on a free port of 127.0.0.1 to the page at `pageUrl`, as `filesOnServer` reads them. */
export async function serveModel(files: ModelFiles, pageUrl: string): Promise<ServedPage> {
  const { origin } = new URL(pageUrl);
  let url = '';
  const server = createServer((request, response) => {
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Allow-Headers', 'Range');
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    // A name of somebody else's that leads to this machine (DNS rebinding) would make this server one of theirs to a browser.
    if (request.headers.host !== new URL(url).host) return void response.writeHead(403).end();
    answer(files, request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(messageOf(error));
    });
  });
  url = `http://127.0.0.1:${await listening(server, 0, '127.0.0.1')}/`;
  return { url, close: () => closed(server) };
}

async function answer(files: ModelFiles, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = decodeURIComponent((request.url ?? '/').slice(1));
  if (request.method === 'OPTIONS') response.writeHead(204).end();
  else if (name === '') await list(files, response);
  else {
    const file = files.names?.includes(name) === true ? await files.open(name) : null;
    if (file === null) response.writeHead(404).end();
    else await send(file, request.headers.range, response);
  }
}

async function list(files: ModelFiles, response: ServerResponse): Promise<void> {
  const listed: { name: string; size: number }[] = [];
  for (const name of files.names ?? []) {
    const file = await files.open(name);
    if (file !== null) listed.push({ name, size: file.size });
  }
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(listed));
}

/** All of a file, or the one range that is asked for. */
async function send(file: OpenFile, range: string | undefined, response: ServerResponse): Promise<void> {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  const whole = first === undefined;
  const [begin, end] = whole ? [0, file.size] : [Number(first), Math.min(Number(last) + 1, file.size)];
  if (!whole && begin >= end) {
    response.writeHead(416).end();
    return;
  }
  response.writeHead(whole ? 200 : 206, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': end - begin,
    ...(whole ? {} : { 'Content-Range': `bytes ${begin}-${end - 1}/${file.size}` }),
  });
  for (let at = begin; at < end; at += PIECE) {
    const piece = await file.read(at, Math.min(at + PIECE, end));
    if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end();
}
