/** Getting results of rounds to the host without waiting for the newest: a ring of buffers that are mapped in turn. */

export interface Readback {
  /** Records the copy at the end of a round. */
  copyFrom(encoder: GPUCommandEncoder, source: GPUBuffer): void;
  /** Asks for the contents; call once the round has been submitted. */
  read(): Promise<Uint32Array>;
}

export class ReadbackRing {
  readonly #device: GPUDevice;
  readonly #free: GPUBuffer[] = [];
  readonly #size: number;
  #made = 0;

  constructor(device: GPUDevice, size: number) {
    this.#device = device;
    this.#size = size;
  }

  get bytes(): number {
    return this.#made * this.#size;
  }

  next(): Readback {
    const staging = this.#free.pop() ?? this.#create();
    return {
      copyFrom: (encoder, source) => encoder.copyBufferToBuffer(source, 0, staging, 0, this.#size),
      read: async () => {
        await staging.mapAsync(GPUMapMode.READ);
        const words = new Uint32Array(staging.getMappedRange().slice(0));
        staging.unmap();
        this.#free.push(staging);
        return words;
      },
    };
  }

  #create(): GPUBuffer {
    this.#made++;
    return this.#device.createBuffer({
      label: 'round readback',
      size: this.#size,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
  }

  dispose(): void {
    for (const buffer of this.#free.splice(0)) buffer.destroy();
  }
}
