/** The machines that may join the page's run: the server where they meet, and those that are there. It is loaded when a machine is invited. */
import type { NatsConnection } from '@nats-io/nats-core';
import type { RunConfig } from '@rl-playground/run/settings';
import type { ServerAddress } from './addresses.ts';
import { computationOf } from '@rl-playground/run/environment/computation';
import { connectInPage } from './connectInPage.ts';
import { parsePageAddress } from './invitation.ts';
import type { MachineRecord } from './machineList.ts';
import type { MachineNews, MachinePool } from './machinePool.ts';
import { runLabel } from './names.ts';
import { RunChannel } from './runChannel.ts';
import type { EngineEnvironment } from '@rl-playground/engine/parts';
import { joinedEnvironment } from './joinedEnvironment.ts';
import { promptsInWords } from '@rl-playground/run/data';
import type { Notice, RunController, RunSurroundings } from '@rl-playground/run/session';
import type { InvitedMachines, MachinesOfPage } from './machinesOfPage.ts';

/** The dropped machines of a run that notices name: a stranger can invent any number. */
const MOST_SAID = 5;

const NOBODY: InvitedMachines = { run: null, server: null, connected: true, machines: [], own: null };

interface Meeting {
  readonly server: ServerAddress;
  /** True if generators of this page answer too. */
  readonly local: boolean;
}

export class JoinedMachines implements MachinesOfPage, RunSurroundings {
  readonly #notify: (notice: Omit<Notice, 'id'>) => void;
  readonly #listeners = new Set<() => void>();
  #meeting: Meeting | null = null;
  /** The meeting of the run that was last begun or continued. */
  #used: Meeting | null = null;
  #channel: RunChannel | null = null;
  #now = NOBODY;
  #drops = 0;

  constructor(notify: (notice: Omit<Notice, 'id'>) => void) {
    this.#notify = notify;
  }

  readonly snapshot = (): InvitedMachines => this.#now;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** True if the invitation has changed since the run got its generators. */
  get changed(): boolean {
    return this.#used !== this.#meeting;
  }

  async invite(address: string, { local }: { readonly local: boolean }): Promise<void> {
    const server = parsePageAddress(address);
    // A wrong address is found before an hour of training, not after.
    await (await connectInPage(server, 'trainer')).close();
    await this.leave();
    this.#meeting = { server, local };
    this.#set({ ...NOBODY, server: server.url });
  }

  async leave(): Promise<void> {
    const channel = this.#channel;
    this.#channel = null;
    this.#meeting = null;
    this.#set(NOBODY);
    await channel?.close();
  }

  /** Makes the environment of a run that is about to begin or to continue. */
  async around(
    environment: EngineEnvironment,
    { task }: RunConfig,
    line: string,
  ): Promise<EngineEnvironment> {
    this.#used = this.#meeting;
    if (this.#meeting === null) return environment;
    const { server, local } = this.#meeting;
    await this.#channel?.close();
    const connection = await connectInPage(server, 'trainer');
    const channel = await RunChannel.open(connection, {
      name: task,
      about: promptsInWords(task),
      computation: computationOf(line),
    });
    this.#channel = channel;
    this.#drops = 0;
    this.#set({ ...NOBODY, server: server.url, run: runLabel({ name: task, run: channel.run }) });
    void this.#watch(connection, () => this.#channel === channel, local);
    return joinedEnvironment(environment, { channel, local, onNews: (news, pool) => this.#hear(news, pool) });
  }

  /** Reports when the server is gone, and when it is there again. */
  async #watch(connection: NatsConnection, isCurrent: () => boolean, local: boolean): Promise<void> {
    for await (const { type } of connection.status()) {
      if (!isCurrent()) return;
      const connected = type === 'reconnect';
      if ((!connected && type !== 'disconnect') || connected === this.#now.connected) continue;
      this.#set({ ...this.#now, connected });
      const text = local
        ? 'Until it is there again, this page’s own generators answer alone.'
        : 'The run waits for it: it has no generators of its own.';
      this.#notify(
        connected
          ? {
              kind: 'info',
              title: 'The server of the machines is there again',
              text: 'Requests that were lost are sent again.',
            }
          : { kind: 'warning', title: 'The server of the machines does not answer', text },
      );
    }
  }

  #hear(news: MachineNews, pool: MachinePool): void {
    const { machines, own } = pool;
    switch (news.kind) {
      case 'changed':
      case 'dropped':
        this.#set({ ...this.#now, machines, own });
        if (news.kind === 'dropped') this.#sayDropped(news.machine);
        return;
      case 'waiting':
        this.#notify({
          kind: 'info',
          title: 'The run waits for machines',
          text: `None that joined is there, and the run has no generators of its own. It goes on as soon as one comes: at ${this.#now.server}.`,
        });
        return;
      case 'trouble':
        this.#notify({ kind: 'info', title: 'The server of the machines', text: news.text });
    }
  }

  #sayDropped({ name, dropped }: MachineRecord): void {
    if (++this.#drops > MOST_SAID) return;
    const rest =
      this.#drops === MOST_SAID ? ' Of others that are dropped only the list of machines says so.' : '';
    this.#notify({
      kind: 'info',
      title: `The machine ${name} was dropped`,
      text: `Because ${dropped}. What it was asked is asked again; nothing was learned from its wrong answers.${rest}`,
    });
  }

  #set(now: InvitedMachines): void {
    this.#now = now;
    for (const listener of this.#listeners) listener();
  }
}

const known = new WeakMap<RunController, JoinedMachines>();

/** The machines of a page's run; the first call adds them to the environment of its runs. */
export function machinesOf(controller: RunController): MachinesOfPage {
  const there = known.get(controller);
  if (there) return there;
  const machines = new JoinedMachines((notice) => controller.notify(notice));
  known.set(controller, machines);
  controller.device.surroundings = machines;
  return machines;
}
