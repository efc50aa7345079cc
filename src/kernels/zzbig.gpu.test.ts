import { expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { gpuDispatcher } from '../backend/dispatch.ts';
import { failOnDeviceProblems } from '../testing/gpu.ts';
import { allocateFrozenMatrix, writeFrozenRows, gemm, embedding, tokenLogprobs, tokenLogprobsGradient, disposeFrozenMatrix, frozenBytes, quantizeRows, type FrozenFormat } from './index.ts';
import { freshInputs } from './checks/random.ts';

await startBackend('webgpu');
const gpu = gpuDispatcher(tf.backend());
failOnDeviceProblems();

test.runIf(import.meta.env['VITE_ZZ'] !== 'speed')('big', async () => {
  console.log('limits', gpu.device.limits.maxStorageBufferBindingSize, gpu.device.limits.maxBufferSize);
  const random = freshInputs();
  const [V, D, N] = [151_936, 896, 6];
  for (const format of ['bf16', 'f32'] as const) {
    const t0 = performance.now();
    const head = allocateFrozenMatrix([V, D], format, 128 * 2 ** 20);
    const bytes = format === 'f32' ? 4 : 2;
    const piece = 1024;
    // Element (r, c): a hash, as a multiple of 2^-10, exact in bf16.
    const value = (r: number, c: number) => ((Math.imul(r * 31 + c * 17, 2654435761) >>> 25) - 64) / 1024;
    for (let r = 0; r < V; r += piece) {
      const rows = Math.min(piece, V - r);
      const f = new Float32Array(rows * D);
      for (let i = 0; i < rows; i++) for (let c = 0; c < D; c++) f[i * D + c] = value(r + i, c);
      const w = bytes === 4 ? new Uint8Array(f.buffer) : new Uint8Array(Uint16Array.from(new Uint32Array(f.buffer), (x) => x >>> 16).buffer);
      writeFrozenRows(head, r, w, null);
    }
    const ids = Int32Array.of(0, 74879, 74880, 149760, V - 1, 37449);
    const x = embedding(head, tf.tensor1d(ids, 'int32'));
    const xs = await x.data();
    let bad = 0;
    ids.forEach((id, n) => { for (let c = 0; c < D; c++) if (xs[n * D + c] !== value(id, c)) bad++; });
    const t1 = performance.now();
    const h = random.floats(N * D, 0.5);
    const hidden = tf.tensor2d(h, [N, D]);
    const targets = random.ints(N, V);
    targets[0] = V - 1; targets[1] = 0;
    const { logprob, entropy } = tokenLogprobs(hidden, head, tf.tensor1d(targets, 'int32'), 1);
    const lp = await logprob.data();
    const t2 = performance.now();
    const dl = random.floats(N);
    const { dhidden } = tokenLogprobsGradient({ hidden, head, targets: tf.tensor1d(targets, 'int32'), dlogprob: tf.tensor1d(dl), dentropy: tf.zeros([N]) }, 1, { head: null });
    const dh = await dhidden.data();
    const t3 = performance.now();
    // float64, rows 0 and 1
    for (const n of [0, 1]) {
      const logits = new Float64Array(V);
      for (let v = 0; v < V; v++) { let s = 0; for (let c = 0; c < D; c++) s += (h[n * D + c] ?? 0) * value(v, c); logits[v] = s; }
      const max = logits.reduce((a, b) => Math.max(a, b));
      const sum = logits.reduce((a, b) => a + Math.exp(b - max), 0);
      const exact = (logits[targets[n] ?? 0] ?? 0) - max - Math.log(sum);
      let worst = 0, size = 0;
      for (const c of [0, 1, 500, 895]) {
        let s = 0;
        for (let v = 0; v < V; v++) s += ((v === targets[n] ? 1 : 0) - Math.exp((logits[v] ?? 0) - max) / sum) * value(v, c);
        s *= dl[n] ?? 0;
        worst = Math.max(worst, Math.abs(s - (dh[n * D + c] ?? 0))); size = Math.max(size, Math.abs(s));
      }
      console.log(format, 'row', n, 'logprob', lp[n], exact, 'dh err', worst, 'of', size);
      expect(Math.abs((lp[n] ?? 0) - exact)).toBeLessThan(1e-4);
      expect(worst).toBeLessThan(1e-5 * Math.max(size, 0.1));
    }
    expect(bad).toBe(0);
    console.log(format, 'blocks', head.blocks.map((b) => b.rows).join(' '), 'bytes', frozenBytes([V, D], format), 'write+gather ms', t1 - t0, 'logprob ms', t2 - t1, 'gradient ms', t3 - t2, tf.memory());
    tf.dispose([x, hidden, logprob, entropy, dhidden]);
    disposeFrozenMatrix(head);
    gpu.endStep(); gpu.endStep(); gpu.endStep();
  }
}, 600_000);

test.runIf(import.meta.env['VITE_ZZ'] === 'speed')('speed', async () => {
  const [n, k, L] = [1536, 576, 3];
  for (const m of [1, 4, 256]) {
    const line: string[] = [];
    const a = tf.randomNormal([m, k]) as tf.Tensor2D, dy = tf.randomNormal([m, n]) as tf.Tensor2D;
    const time = async (name: string, run: (i: number) => tf.Tensor) => {
      const all = () => Array.from({ length: L }, (_, i) => run(i));
      tf.dispose(all()); gpu.flush(); await gpu.device.queue.onSubmittedWorkDone();
      let best = Infinity;
      for (let r = 0; r < 4; r++) {
        const t0 = performance.now();
        const out = all(); gpu.flush(); await gpu.device.queue.onSubmittedWorkDone();
        best = Math.min(best, (performance.now() - t0) / L);
        tf.dispose(out);
      }
      line.push(`${name} ${(2 * m * n * k / best / 1e6).toFixed(2)}`);
    };
    const pool = Array.from({ length: L }, () => tf.randomNormal([k, n]) as tf.Tensor2D);
    await time('pool nn', (i) => gemm(a, pool[i]!, 'nn'));
    if (m > 4) await time('pool nt', (i) => gemm(dy, pool[i]!, 'nt'));
    tf.dispose(pool);
    for (const f of ['f32', 'f16', 'bf16', 'q8', 'q4'] as FrozenFormat[]) {
      const mats = Array.from({ length: L }, () => {
        const x = allocateFrozenMatrix([n, k], f);
        const v = Float32Array.from({ length: n * k }, () => (Math.random() - 0.5) * 0.1);
        if (f === 'q8' || f === 'q4') { const q = quantizeRows(f, v); writeFrozenRows(x, 0, q.words, q.scales); }
        else if (f === 'f32') writeFrozenRows(x, 0, new Uint8Array(v.buffer), null);
        else writeFrozenRows(x, 0, new Uint8Array(Uint16Array.from(v, (_, i) => 0x2800 + (i * 7919) % 3000).buffer), null);
        return x;
      });
      await time(`${f} nt`, (i) => gemm(a, mats[i]!, 'nt'));
      if (m > 4) await time(`${f} nn`, (i) => gemm(dy, mats[i]!, 'nn'));
      mats.forEach(disposeFrozenMatrix);
    }
    console.log(`m=${m} GFLOP/s ${line.join(' | ')}`);
  }
}, 600_000);
