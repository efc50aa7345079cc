/** `npx rl-playground train --join` and `npx rl-playground generator`, as people type them, over a nats-server with TLS where this machine has openssl. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newToken, startNatsServer } from '../src/cli/natsServer.ts';
import { lacksServer } from '../src/cli/testing/localServer.ts';
import { serve } from '../src/cli/serve.ts';
import { testCertificate } from '@rl-playground/machines/testing/testCertificate';
import { expect, test } from './fixtures.ts';

const program = fileURLToPath(new URL('../src/cli/run.mjs', import.meta.url));
const SMALL = [
  'problemsPerStep=4',
  'rolloutsPerProblem=2',
  'maxTokens=12',
  'warmStartSteps=0',
  '--eval-samples',
  '2',
];

interface Started {
  readonly child: ChildProcess;
  said(): string;
}

function start(words: readonly string[], trusted: string | undefined): Started {
  const env = { ...process.env, ...(trusted !== undefined && { NODE_EXTRA_CA_CERTS: trusted }) };
  const child = spawn(process.execPath, [program, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  return { child, said: () => text };
}

/** A folder of the test's own. */
function folder(): string {
  const path = test.info().outputPath('tls');
  mkdirSync(path, { recursive: true });
  return path;
}

/** The exit code, after its whole output is read; null if a signal ended it. */
async function codeOf({ child }: Started): Promise<number | null> {
  await once(child, 'close');
  return child.exitCode;
}

test('a run without generators of its own is answered by one that joins, and neither prints the token', async () => {
  test.skip(lacksServer(), 'there is no nats-server on this machine');
  const tls = testCertificate(folder());
  if (tls === null) console.log('Without TLS: this machine has no openssl.');
  const token = newToken();
  const here = { host: '127.0.0.1', port: 0, webSocketPort: null } as const;
  const server = await startNatsServer({ ...here, token, store: null, tls });
  const address = `${tls === null ? 'nats' : 'tls'}://${token}@127.0.0.1:${server.port}`;
  const generator = start(['generator', '--join', address, '--name', 'beside'], tls?.cert);
  const out = test.info().outputPath('run');
  const words = ['--task', 'sum_digits', '--num-steps', '2', '--backend', 'wasm', '--num-generators', '0'];
  const run = start(['train', ...words, '--out', out, '--join', address, ...SMALL], tls?.cert);
  try {
    const code = await codeOf(run);
    expect(code, `${run.said()}\n${generator.said()}`).toBe(0);
    expect(run.said()).toMatch(/\[SYNC {3}2\] \d\/8 correct/);
    expect(run.said()).toMatch(/of generating and .* of training, which take turns: up to/);
    await expect.poll(() => generator.said()).toMatch(/Left sum_digits \(\w{6}\): the run has ended\./);
    expect(generator.said()).toContain('Joined sum_digits');
    // Its contribution is in the output and in the run's folder: two steps of 8, and evaluations.
    const [, answers = ''] =
      /machine beside: (\d+) answers, .* \|Δ log p\| at most 0.0000/.exec(run.said()) ?? [];
    expect(Number(answers)).toBeGreaterThan(16);
    const machines: unknown = JSON.parse(readFileSync(join(out, 'machines.json'), 'utf8'));
    expect(machines).toMatchObject([
      { name: 'beside', answers: Number(answers), dropped: null, precision: 'f32' },
    ]);
    expect(machines).toHaveProperty('[0].gaps.length', 3);
    for (const each of [run, generator]) expect(each.said()).not.toContain(token);
  } finally {
    // The test's own limit ends a process that hangs, and this is all that is known of it then.
    await test
      .info()
      .attach('said', { body: `${run.said()}\n${generator.said()}`, contentType: 'text/plain' });
    for (const { child } of [generator, run]) child.kill('SIGKILL');
    await server.close();
  }
});

test('the page is served by https with a certificate', async () => {
  const tls = testCertificate(folder());
  test.skip(tls === null, 'there is no openssl on this machine');
  if (tls === null) return;
  const host = await serve({ port: 0, tls });
  try {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      get(host.url, { ca: readFileSync(tls.cert) }, ({ statusCode }) => resolve(statusCode)).on(
        'error',
        reject,
      );
    });
    expect(host.url).toMatch(/^https:/);
    expect(status).toBe(200);
  } finally {
    await host.close();
  }
});
