import { filesAtUrl } from '../hub/sources.ts';
import { peersSuite } from './peers.suite.ts';

peersSuite({ backend: 'webgpu', wasmPath: '/wasm/', onnxPath: '/onnxruntime/', threads: 1 }, (label) =>
  filesAtUrl(label, '/models/starter/'),
);
