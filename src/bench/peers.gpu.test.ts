import { filesAtUrl } from '../hub/sources.ts';
import { casesOf } from '../testing/gpu.ts';
import { peersSuite, TRAINED } from './peers.suite.ts';

peersSuite(
  { backend: 'webgpu', wasmPath: '/wasm/', onnxPath: '/onnxruntime/', threads: 1 },
  (label) => filesAtUrl(label, '/models/starter/'),
  casesOf(TRAINED, TRAINED.slice(1)),
);
