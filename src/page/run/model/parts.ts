/** The parts that load models, in one file: in two, what they share would come with the first view. */
export { ModelPicker } from './ModelPicker.tsx';
export { Showpieces } from './Showpieces.tsx';
