/** The tensor runtime, with its gradients registered. Every room imports tfjs from here, so there is one copy. */
import '@tensorflow/tfjs-core/dist/register_all_gradients';

export * from '@tensorflow/tfjs-core';
