/** The tensor runtime, with its gradients registered. Every room imports tfjs from here, so there is one copy. */
export * from '@tensorflow/tfjs-core';
// Second: it needs the flags that the line above registers.
import '@tensorflow/tfjs-core/dist/register_all_gradients';
// Third: it replaces some of them.
import './gradients.ts';

export { logSigmoid } from './gradients.ts';
