/** Models on servers, opened in this browser. It is a module of its own so that they are loaded only when asked for. */
export { boundedFetch } from '../hub/remote/answerBody.ts';
export { loadRemote } from '../hub/remote/loadRemote.ts';
export { findOnnxModel } from '../hub/remote/onnxModel.ts';
export { cacheRoot, deleteKept, keptModels, openKept } from '../hub/remote/modelCache.ts';
