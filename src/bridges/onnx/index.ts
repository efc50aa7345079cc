/** ONNX graphs of a model. */
export { exportOnnx } from './export.ts';
