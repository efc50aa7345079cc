import { everyProof } from '../../src/testing/proofs.ts';
import { starterInNode } from '../../src/testing/starterFolder.ts';
import { wasmPathInNode } from '../../src/testing/wasm.ts';
import { peersSuite } from './peers.suite.ts';

peersSuite(
  { backend: 'wasm', wasmPath: wasmPathInNode, onnxPath: '', threads: 1 },
  starterInNode,
  everyProof,
);
