import { everyProof } from '@rl-playground/base/testing/proofs';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { peersSuite } from './peers.suite.ts';

peersSuite(
  { backend: 'wasm', hardware: false, wasmPath: wasmPathInNode, onnxPath: '', threads: 1 },
  starterInNode,
  everyProof,
);
