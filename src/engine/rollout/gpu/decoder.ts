/**
 * Batched decoding on WebGPU without tensor ops: prebuilt command lists, tokens drawn and fed back on the GPU, several tokens between two
 * readbacks, and a round submitted ahead of the one whose results are awaited.
 */
import { kernelLimits } from '../../backend/adapterFacts.ts';
import { gpuDispatcher } from '../../backend/dispatch.ts';
import * as tf from '../../backend/tf.ts';
import {
  seenWords,
  type CachePrecision,
  type DecodePlan,
  type DecodeProducts,
} from '../../kernels/decode/index.ts';
import type { ModelConfig } from '../../model/config.ts';
import type { FrozenSource } from '../../model/mergedBase.ts';
import type { Rope } from '../../model/layerAttention.ts';
import { byRope, ropeTables } from '../../model/rope.ts';
import { CACHE_BYTES, ContinuousBatch } from '../decoding/continuousBatching.ts';
import {
  checkLengths,
  decodedConfig,
  type DecodeOptions,
  type Decoder,
  type GeneratorModel,
} from '../decoding/decoder.ts';
import { stopMatcherOf } from '../decoding/stopStrings.ts';
import type { GroupRequest, SampledCompletion, SamplingSettings } from '../decoding/types.ts';
import type { WeightBytes, WeightPrecision } from '../decoding/weights.ts';
import { GpuBatch } from './batch.ts';
import { allocateBuffers, atLeast, ReadbackRing, type BufferSize, type GpuBuffers } from './buffers.ts';
import { OUTPUT_BYTES } from './sizes.ts';
import { BESIDE_PAGE, buildCommands, STEADY, type GpuCommands, type Pace } from './commands.ts';
import type { DecoderWeights } from './decoderWeights.ts';
import { FrozenWeights } from './frozenWeights.ts';
import { activationWidths } from './linearSteps.ts';
import {
  cacheRoom,
  cacheShape,
  grownPages,
  rowsIn,
  tableEntries,
  type CacheRoom,
  type CacheShape,
} from './cacheShape.ts';
import { PagedCache } from './pagedCache.ts';
import { GpuProgram } from './program.ts';
import { runRounds, type Round } from './rounds.ts';
import { dispatchesOf, type BatchPlan, type Step } from './step.ts';
import { drawKindOf, PLAIN_DRAWS, planSteps, type DrawKind } from './steps.ts';
import { GpuWeights } from './weights.ts';

/** The cosines | sines of each position. */
function ropeTable(headDim: number, rope: Rope | null, positions: number): Float32Array<ArrayBuffer> {
  const { cosines, sines } = ropeTables(headDim, rope, positions);
  const half = headDim / 2;
  const table = new Float32Array(positions * headDim);
  for (let position = 0; position < positions; position++) {
    table.set(cosines.subarray(position * half, (position + 1) * half), position * 2 * half);
    table.set(sines.subarray(position * half, (position + 1) * half), position * 2 * half + half);
  }
  return table;
}

export class GpuDecoder implements Decoder {
  readonly #device: GPUDevice;
  readonly #model: GeneratorModel;
  readonly #config: ModelConfig;
  readonly #stopTokens: ReadonlySet<number>;
  #weights: DecoderWeights | null = null;
  readonly #plan: DecodePlan;
  readonly #products: Promise<DecodeProducts>;
  readonly #program: GpuProgram;
  readonly #pace: Pace;
  /** The compiled steps for the present weights, by the kind of draws. */
  readonly #steps = new Map<string, Promise<BatchPlan<Step>>>();
  /** The RoPE table of each layer; equal ones are one buffer. */
  readonly #tables: readonly GPUBuffer[];
  readonly #readbacks: ReadbackRing;
  #buffers: GpuBuffers | null = null;
  /** The commands for the present buffers. */
  readonly #commands = new Map<BatchPlan<Step>, GpuCommands>();

  /**
   * `precision` is that of the weights that it will get, if they are no frozen base. The device may have other users; a frozen base must
   * be on it.
   */
  constructor(
    device: GPUDevice,
    model: GeneratorModel,
    plan: DecodePlan,
    precision: WeightPrecision,
    products: Promise<DecodeProducts> = Promise.resolve('exact'),
    pace: Pace = model.besidePage === true ? BESIDE_PAGE : STEADY,
  ) {
    const { stopTokenIds, positions } = model;
    const config = decodedConfig(model);
    this.#device = device;
    this.#model = model;
    this.#config = config;
    this.#stopTokens = new Set(stopTokenIds);
    this.#plan = plan;
    this.#products = products;
    this.#pace = pace;
    this.#program = new GpuProgram(device);
    this.#tables = byRope(config.attention, (rope) => {
      const table = ropeTable(config.headDim, rope, positions);
      const buffer = device.createBuffer({
        label: 'RoPE table',
        size: table.byteLength,
        usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
      });
      device.queue.writeBuffer(buffer, 0, table);
      return buffer;
    });
    this.#readbacks = new ReadbackRing(device, OUTPUT_BYTES);
    if (!model.frozen) this.#use(new GpuWeights(device, model, precision));
  }

  /** Begins to compile the kernels for these weights. */
  #use(weights: DecoderWeights): void {
    this.#release();
    this.#weights = weights;
    this.#steps.clear();
    // `generate` reports the error.
    this.#stepsFor(PLAIN_DRAWS).catch(() => undefined);
  }

  /** Compiles the steps when they are first needed: the kernel that filters is large, and most runs never need it. */
  #stepsFor(draws: DrawKind): Promise<BatchPlan<Step>> {
    const key = JSON.stringify(draws);
    const steps = this.#steps.get(key) ?? this.#compiledSteps(this.#ready(), draws);
    this.#steps.set(key, steps);
    return steps;
  }

  async #compiledSteps(weights: DecoderWeights, draws: DrawKind): Promise<BatchPlan<Step>> {
    const products = await this.#products;
    const ways = { plan: this.#plan, products };
    const steps = planSteps(this.#config, weights, this.#tables, ways, draws, this.#model);
    await this.#program.compile(dispatchesOf(steps).map(({ kernel }) => kernel));
    return steps;
  }

  setWeights(weights: WeightBytes): void {
    this.#ready().set(weights);
  }

  setBase(base: FrozenSource): void {
    this.#use(new FrozenWeights(gpuDispatcher(tf.backend()), this.#model, base));
  }

  setAdapter(factors: Float32Array): void {
    this.#ready().setAdapter(factors);
  }

  settle(): void {
    this.#weights?.upload();
  }

  #ready(): DecoderWeights {
    if (!this.#weights) throw new Error('The generator has no base yet.');
    return this.#weights;
  }

  /** Frees the weights, and everything that was made for them. */
  #release(): void {
    this.#weights?.dispose();
    this.#buffers?.dispose();
    this.#buffers = null;
    this.#commands.clear();
  }

  dispose(): void {
    this.#release();
    for (const table of new Set(this.#tables)) table.destroy();
    this.#readbacks.dispose();
  }

  async generate(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options: DecodeOptions,
  ): Promise<SampledCompletion[][]> {
    checkLengths(this.#model, requests, sampling);
    const matcher = stopMatcherOf(this.#model.tokenBytes, sampling.stop);
    const { maxTokens } = sampling;
    const shape = cacheShape(requests, maxTokens, this.#cacheRoom, rowsIn(this.#config, this.#bindingBytes));
    const cache = new PagedCache(shape);
    const batch = await this.#openBatch(shape, cache, sampling);
    const schedule = new ContinuousBatch(
      requests,
      maxTokens,
      this.#stopTokens,
      shape.slots,
      matcher,
      options.onGroup,
    );
    batch.begin(shape.slots, sampling, this.#stopTokens);
    const rounds: Round[] = [];
    try {
      await runRounds(
        { batch, cache, schedule, maxTokens, rounds, readbacks: this.#readbacks, pace: this.#pace },
        options,
      );
    } finally {
      // A buffer that is being mapped can't be used again before that has ended.
      await Promise.allSettled(rounds.map(({ words }) => words));
    }
    return schedule.results();
  }

  get #cachePrecision(): CachePrecision {
    return this.#model.cachePrecision ?? 'f32';
  }

  get #bindingBytes(): number {
    const { maxStorageBufferBindingSize, maxBufferSize } = kernelLimits(this.#device);
    return Math.min(maxStorageBufferBindingSize, maxBufferSize);
  }

  get #cacheRoom(): CacheRoom {
    const cacheBytes = this.#model.cacheBytes ?? CACHE_BYTES;
    return cacheRoom(this.#config, this.#cachePrecision, cacheBytes, this.#bindingBytes);
  }

  /** Opens a batch in the present buffers, or in larger ones that replace them. */
  async #openBatch(shape: CacheShape, cache: PagedCache, sampling: SamplingSettings): Promise<GpuBatch> {
    const weights = this.#ready();
    const draws = drawKindOf(sampling);
    const steps = await this.#stepsFor(draws);
    const device = this.#device;
    const config = this.#config;
    const ofSlot = draws.penalised ? seenWords(config.vocabSize) : 0;
    const needed: BufferSize = {
      ...shape,
      tableEntries: tableEntries(shape),
      seenWords: shape.slots * ofSlot,
    };
    const old = this.#buffers;
    if (!old || !atLeast(old.size, needed)) {
      const size = {
        slots: Math.max(needed.slots, old?.size.slots ?? 0),
        places: Math.max(needed.places, old?.size.places ?? 0),
        pages: old ? grownPages(needed.pages, old.size.pages, this.#cacheRoom) : needed.pages,
        tableEntries: Math.max(needed.tableEntries, old?.size.tableEntries ?? 0),
        seenWords: Math.max(needed.seenWords, old?.size.seenWords ?? 0),
      };
      old?.dispose();
      this.#buffers = null;
      this.#commands.clear();
      const products = await this.#products;
      const ways = { plan: this.#plan, products };
      const widths = activationWidths(config, weights, ways, this.#model.positions);
      this.#buffers = await allocateBuffers(
        device,
        config,
        widths,
        size,
        this.#cachePrecision,
        this.#stopTokens.size,
      );
    }
    const buffers = this.#buffers;
    if (!buffers) throw new Error('The generator was disposed of while it was asked for completions.');
    let commands = this.#commands.get(steps);
    if (!commands) {
      commands = buildCommands(device, steps, this.#program, buffers);
      this.#commands.set(steps, commands);
    }
    return new GpuBatch({ device, buffers, commands, weights, cache, pace: this.#pace, seenWords: ofSlot });
  }
}
