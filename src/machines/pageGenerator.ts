/** A page that answers in a worker for the runs at a server, until it is told to leave. It shows its requests, its speed and its contribution. */
import { findAdapter, canFuseProducts, type ModelFiles } from '@rl-playground/engine/parts';
import { closeGpu, createWorkerPool, startTested } from '@rl-playground/engine/parts/tensors';
import { messageOf } from '@rl-playground/base/errors';
import { bytesText } from '@rl-playground/base/text';
import { gpuComputation, wasmComputation } from '@rl-playground/run/environment/computation';
import { connectInPage } from './connectInPage.ts';
import { watchServer } from './connection.ts';
import type { HubAccess } from './hubBase.ts';
import type { Invitation } from './invitation.ts';
import { Machine, type MachineEngine } from './machine.ts';
import { MachineNews } from './machineNews.ts';
import { address } from '@rl-playground/run/environment';
import { pause } from './requestQueue.ts';

const AGAIN_AFTER = 3000;

interface Device {
  readonly backend: 'webgpu' | 'wasm';
  readonly words: string;
  readonly name: string;
}

/** Finds what the generators compute on. A GPU is tested on a device of the page's own, because one that computes wrong numbers must not answer. */
async function findDevice(wanted: 'webgpu' | 'wasm' | null): Promise<Device> {
  const cpu = { backend: 'wasm', name: '', words: 'CPU: one thread (wasm)' } as const;
  const found = wanted === 'wasm' ? null : await findAdapter();
  if (wanted !== 'webgpu' && (!found || found.facts.software)) return cpu;
  try {
    const { backend, line } = await startTested(wanted, { wasmPath: address('wasm/'), threads: 1 });
    if (backend === 'wasm') return { ...cpu, words: line };
  } finally {
    closeGpu();
  }
  const name = found?.name ?? '';
  return { backend: 'webgpu', name, words: `GPU: ${name} (WebGPU)` };
}

/** The generators for a run. On wasm products are rounded as the trainer's are, if that can be chosen. */
function engineOn(
  { backend, name }: Device,
  { computation: trainer }: { computation: string },
): MachineEngine {
  const fused = canFuseProducts() && trainer !== wasmComputation(false);
  return {
    computation: backend === 'webgpu' ? gpuComputation(name) : wasmComputation(fused),
    createPool: ({ model, precision }) =>
      createWorkerPool({
        size: 1,
        backend,
        wasmPath: address('wasm/'),
        fusedProducts: fused,
        model,
        precision,
      }),
  };
}

export class PageGenerator extends MachineNews {
  readonly #invitation: Invitation;
  readonly #hub: HubAccess;
  readonly #stop = new AbortController();

  /** `mayAsk` tells whether the visitor has allowed a hub. */
  constructor(invitation: Invitation, mayAsk: HubAccess['mayAsk']) {
    super();
    this.#invitation = invitation;
    this.#hub = {
      mayAsk,
      asking: {},
      fetched: (model, signal) => this.#fetchFromHub(model, signal),
    };
  }

  async #fetchFromHub(...[model, signal]: Parameters<HubAccess['fetched']>): Promise<ModelFiles> {
    const { cacheRoot, loadRemote } = await import('@rl-playground/engine/remote');
    // The files that were checked must be those that are read again.
    if ((await cacheRoot()) === null) throw new Error('this browser keeps no files for this page');
    return loadRemote(model, {
      signal,
      onProgress: ({ done, total }) =>
        this.update({ base: `Fetching the model’s base: ${bytesText(done)} of ${bytesText(total)}.` }),
    });
  }

  /** Answers until it leaves. A server that can't be reached is tried again until then. `name` is the one in the run's list. */
  async serve(name: string, backend: 'webgpu' | 'wasm' | null): Promise<void> {
    const { signal } = this.#stop;
    try {
      const device = await findDevice(backend);
      this.update({ device: device.words });
      while (!signal.aborted) {
        await this.#serveOnce(name, device).catch((error: unknown) =>
          this.update({ state: 'connecting', problem: messageOf(error) }),
        );
        if (!signal.aborted) await pause(AGAIN_AFTER, signal);
      }
      this.update({ state: 'left', question: null, problem: null });
    } catch (error) {
      this.update({ state: 'left', problem: messageOf(error) });
    }
  }

  leave(): void {
    this.#stop.abort();
  }

  async #serveOnce(name: string, device: Device): Promise<void> {
    const { server, run } = this.#invitation;
    const connection = await connectInPage(server, name);
    this.update({ problem: null });
    const away = `The server at ${server.url} does not answer any more. This page goes on trying.`;
    void watchServer(connection, (isThere) => this.update({ problem: isThere ? null : away }));
    const machine = new Machine({
      connection,
      name,
      runName: run,
      engineFor: (of) => {
        const engine = engineOn(device, of);
        this.update({ alike: engine.computation === of.computation && device.backend === 'wasm' });
        return engine;
      },
      hub: this.#hub,
      onNews: (event) => this.hear(event),
    });
    await machine.serve(this.#stop.signal);
    await connection.close();
  }
}
