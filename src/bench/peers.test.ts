import { everyProof } from '../testing/proofs.ts';
import { starterInNode } from '../testing/starterFolder.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { peersSuite } from './peers.suite.ts';

peersSuite(
  { backend: 'wasm', wasmPath: wasmPathInNode, onnxPath: '', threads: 1 },
  starterInNode,
  everyProof,
);
