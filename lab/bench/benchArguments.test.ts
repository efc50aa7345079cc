import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseBenchArguments } from './benchArguments.ts';

const starterFolder = fileURLToPath(new URL('../../public/models/starter', import.meta.url));

test('without arguments everything quick to time is timed, on the starter model, in a browser', () => {
  expect(parseBenchArguments([])).toEqual({
    suites: ['gemm', 'ops', 'train', 'rollout', 'sync', 'step'],
    backend: null,
    model: { kind: 'starter' },
    repeats: 5,
    rollouts: 64,
    tokens: 64,
    quick: false,
    without: [],
    python: null,
    json: false,
  });
});

test('suites add up; a model is a shape or a folder', () => {
  const words = '--suite gemm --suite train --backend wasm --repeats 9 --quick --without tfjs,wasm --json';
  expect(parseBenchArguments([...words.split(' '), '--model', 'shape:smollm2-135m'])).toMatchObject({
    suites: ['gemm', 'train'],
    backend: 'wasm',
    repeats: 9,
    quick: true,
    without: ['tfjs', 'wasm'],
    json: true,
    model: { kind: 'shape', name: 'smollm2-135m' },
  });
  expect(parseBenchArguments(['--model', starterFolder])).toMatchObject({
    model: { kind: 'path', path: starterFolder },
  });
  expect(parseBenchArguments(['--model', 'starter-words'])).toMatchObject({
    model: { kind: 'path', path: starterFolder + '-words' },
  });
});

test.each([
  [['--suite', 'matmul'], /no suite "matmul".*gemm, ops/],
  [['--model', 'shape:gpt5'], /no shape "gpt5".*smollm2-135m/],
  [['--model', '/nowhere'], /\/nowhere is no folder with a config\.json and no GGUF file/],
  [['--repeats', '0'], /at least 1/],
  [['--backend', 'cuda'], /webgpu, wasm/],
  [['--without', 'tfjs,onnx'], /no peer "onnx".*tfjs, jax-js, transformers.js, wasm, torch, torch tf32, trl/],
  [['--without', 'ours'], /no peer "ours"/],
  [['--without', 'wasm, tfjs,wasm'], /names wasm twice.*tfjs, jax-js, transformers.js, wasm, torch/],
])('%j is refused in words', (words, reason) => {
  expect(parseBenchArguments(words)).toEqual({ exitCode: 2, text: expect.stringMatching(reason) as string });
});

test('--help is no error', () => {
  expect(parseBenchArguments(['--help'])).toMatchObject({ exitCode: 0 });
});
