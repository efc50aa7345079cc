/** Machines that may join the page's run: the server where they meet, and who of them is there. Loaded when somebody is invited. */
import type { RunConfig } from '../config/schema.ts';
import { parseServerAddress } from '../machines/addresses.ts';
import { computationOf } from '../machines/computation.ts';
import { connectInPage } from '../machines/connectInPage.ts';
import type { MachineNews, MachinePool } from '../machines/machinePool.ts';
import { RunChannel } from '../machines/runChannel.ts';
import type { SessionEnvironment } from './engine/engineHost.ts';
import { joinedEnvironment } from './engine/joinedEnvironment.ts';
import { promptsInWords } from './promptsInWords.ts';
import type { InvitedMachines, MachinesOfPage, Notice } from './types.ts';

const NOBODY: InvitedMachines = { server: null, machines: [] };

export class JoinedMachines implements MachinesOfPage {
  readonly #notify: (notice: Omit<Notice, 'id'>) => void;
  readonly #listeners = new Set<() => void>();
  #invitation: { readonly address: string; readonly local: boolean } | null = null;
  #channel: RunChannel | null = null;
  #now = NOBODY;

  constructor(notify: (notice: Omit<Notice, 'id'>) => void) {
    this.#notify = notify;
  }

  readonly snapshot = (): InvitedMachines => this.#now;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  async invite(address: string, { local }: { readonly local: boolean }): Promise<void> {
    const parsed = parseServerAddress(address);
    if (!parsed.webSocket)
      throw new Error(
        `A page reaches a server by WebSocket only: write ws:// or wss:// in place of ${parsed.url}.`,
      );
    // Found out before an hour of training, not after.
    await (await connectInPage(parsed, 'trainer')).close();
    await this.leave();
    this.#invitation = { address, local };
    this.#set({ server: parsed.url, machines: [] });
  }

  async leave(): Promise<void> {
    const channel = this.#channel;
    this.#channel = null;
    this.#invitation = null;
    this.#set(NOBODY);
    await channel?.close();
  }

  /** What a run that is about to begin has around it. */
  async around(
    environment: SessionEnvironment,
    { task }: RunConfig,
    line: string,
  ): Promise<SessionEnvironment> {
    if (this.#invitation === null) return environment;
    const { address, local } = this.#invitation;
    await this.#channel?.close();
    this.#channel = await RunChannel.open(await connectInPage(parseServerAddress(address), 'trainer'), {
      name: task,
      about: promptsInWords(task),
      computation: computationOf(line),
    });
    return joinedEnvironment(environment, {
      channel: this.#channel,
      local,
      onNews: (news, pool) => this.#hear(news, pool),
    });
  }

  #hear(news: MachineNews, pool: MachinePool): void {
    switch (news.kind) {
      case 'changed':
        this.#set({ ...this.#now, machines: pool.machines });
        return;
      case 'dropped': {
        const { name, dropped } = news.machine;
        this.#set({ ...this.#now, machines: pool.machines });
        this.#notify({
          kind: 'info',
          title: `The machine ${name} was dropped`,
          text: `Because ${dropped}. What it was asked is asked again; nothing was learned from its wrong answers.`,
        });
        return;
      }
      case 'waiting':
        this.#notify({
          kind: 'info',
          title: 'The run waits for machines',
          text: `None that joined is there, and the run has no generators of its own. It goes on as soon as one comes: npm run generator -- --join, at ${this.#now.server}.`,
        });
        return;
      case 'trouble':
        this.#notify({ kind: 'info', title: 'The server of the machines', text: news.text });
    }
  }

  #set(now: InvitedMachines): void {
    this.#now = now;
    for (const listener of this.#listeners) listener();
  }
}
