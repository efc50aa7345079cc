/** `npm run lab -- bench` with its smallest suite: the page that it builds and opens, and what it prints for people and programs. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { expect, slowTest } from './fixtures.ts';

const spread = z.strictObject({ median: z.number(), min: z.number(), max: z.number(), unit: z.string() });
const peer = z.enum(['tfjs', 'jax-js', 'wasm']);
const machine = z.strictObject({ adapter: z.string(), backend: z.enum(['webgpu', 'wasm']) });
const row = z.strictObject({
  name: z.string(),
  shape: z.string(),
  ours: spread,
  peers: z.partialRecord(peer, spread),
  ratio: z.partialRecord(peer, z.number()),
  target: z.partialRecord(z.enum(['ours', ...peer.options]), z.number()),
});

// It builds a page of its own with the peers; what they compute is held by lab/bench/peers.test.ts.
slowTest('prints lines of JSON alone, and the same as text beside them', async ({ backend }) => {
  const program = fileURLToPath(new URL('../src/cli/run.mjs', import.meta.url));
  const words = ['--suite', 'gemm', '--quick', '--repeats', '1', '--backend', backend ?? 'wasm', '--json'];
  const ended = promisify(execFile)(process.execPath, [program, 'lab/lab', 'bench', ...words]);
  const { stdout, stderr } = await ended;
  expect(stderr).toMatch(/gemm TN square {2}512 x 512 x 512\n {2}ours .* GFLOP\/s/);

  const [first, ...rows] = stdout
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(machine.parse(first).backend).toBe(backend);
  const products = rows.map((each) => row.parse(each));
  expect(products.map(({ name }) => name)).toEqual(['gemm NN square', 'gemm NT square', 'gemm TN square']);
  for (const { ours, peers, ratio } of products) {
    expect(ours).toMatchObject({ unit: 'GFLOP/s', min: ours.median, max: ours.median });
    for (const name of ['tfjs', 'jax-js'] as const)
      expect(ratio[name]).toBeCloseTo(ours.median / (peers[name]?.median ?? Number.NaN), 6);
  }
});
