/** Chooses the road of decoding that the running backend and the model allow. */
import * as tf from '../backend/tf.ts';
import { isSoftware } from '../backend/device.ts';
import { gpuDispatcher } from '../backend/dispatch.ts';
import { WEBGPU_BACKEND } from '../backend/kernelRegistry.ts';
import type { Decoder, GeneratorModel } from './decoder.ts';
import { GpuDecoder } from './gpu/decoder.ts';
import { decodesOnGpu, planFor } from './gpu/program.ts';
import { HostDecoder } from './hostDecoder.ts';
import { tfjsExecutor } from './tfjsExecutor.ts';
import type { WeightPrecision } from './weights.ts';

/** `precision`: of the weights that the engine will be given. */
export function createDecoder(model: GeneratorModel, precision: WeightPrecision): Decoder {
  if (tf.getBackend() === WEBGPU_BACKEND && decodesOnGpu(model.config)) {
    const { device } = gpuDispatcher(tf.backend());
    const plan = planFor(device, isSoftware(device.adapterInfo));
    return new GpuDecoder(device, model, plan, precision);
  }
  return new HostDecoder(model, tfjsExecutor(model), precision);
}
