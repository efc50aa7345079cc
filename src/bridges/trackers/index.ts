/** A run's metrics sent to TensorBoard, Weights & Biases, MLflow and Trackio. Node alone has it. */
export { deliver, phaseOf } from './deliver.ts';
export { checkNamedPlace, destinationOf } from './destination.ts';
export { type Patience, USUAL_PATIENCE } from './http.ts';
export { RunLineReader } from './runLines.ts';
export { type Environment, hubSecret } from './secrets.ts';
export { STATE_FILE, stateFolder, statePlace, TRACKING_FOLDER, TrackState } from './state.ts';
export { flatSettings } from './tracker.ts';
