import { expect, test } from 'vitest';
import { chosenPeers, pythonDevice } from './peerChoice.ts';

const ON_GPU = { backend: 'webgpu', hardware: true } as const;

test('peers in Python compute on CUDA beside a hardware GPU, else on the CPU', () => {
  expect(pythonDevice(ON_GPU)).toBe('cuda');
  expect(pythonDevice({ backend: 'webgpu', hardware: false })).toBe('cpu');
  expect(pythonDevice({ backend: 'wasm', hardware: true })).toBe('cpu');
});

test('TF32 is a peer on CUDA alone, Python’s need a Python, and some are left out', () => {
  const all = { without: [], python: true };
  expect(chosenPeers(all, ON_GPU)).toEqual([
    'tfjs',
    'jax-js',
    'transformers.js',
    'wasm',
    'torch',
    'torch tf32',
    'trl',
  ]);
  expect(chosenPeers(all, { backend: 'wasm', hardware: true })).not.toContain('torch tf32');
  expect(chosenPeers({ without: [], python: false }, ON_GPU)).toEqual([
    'tfjs',
    'jax-js',
    'transformers.js',
    'wasm',
  ]);
  expect(chosenPeers({ without: ['tfjs', 'transformers.js', 'torch'], python: true }, ON_GPU)).toEqual([
    'jax-js',
    'wasm',
    'torch tf32',
    'trl',
  ]);
});
