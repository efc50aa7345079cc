import { foldedGrid, u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { directFits, directShader, INVOCATIONS, SIDE } from './directShader.ts';
import { gemmShape, type GemmAttributes } from './shape.ts';
import { TILE, tiledShader } from './tiledShader.ts';

export function gemmOnWebGpu(gpu: GpuDispatcher, inputs: Inputs, { layout }: GemmAttributes): TensorInfo[] {
  const a = input(inputs, 'a');
  const b = input(inputs, 'b');
  const shape = gemmShape(a.shape, b.shape, layout);
  const { m, n, k } = shape;
  const c = gpu.allocate([m, n], 'float32');
  const common = { reads: [a, b], writes: [c] };
  const sizes = [u32(m), u32(n), u32(k)];
  if (directFits(layout, shape)) {
    const { workgroups, groupsPerRow } = foldedGrid(Math.ceil(m / SIDE) * Math.ceil(n / SIDE), INVOCATIONS);
    gpu.dispatch({
      ...common,
      key: `gemm-direct-${layout}`,
      code: () => directShader(layout),
      uniforms: [...sizes, u32(groupsPerRow)],
      workgroups,
    });
  } else {
    gpu.dispatch({
      ...common,
      key: `gemm-tiled-${layout}`,
      code: () => tiledShader(layout),
      uniforms: sizes,
      workgroups: [Math.ceil(n / TILE), Math.ceil(m / TILE)],
    });
  }
  return [c];
}
