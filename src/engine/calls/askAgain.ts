/** Asks again for answers that did not come. A draw depends on its coordinates alone, so a failure on the way changes no bit. */
import type { GenerateOptions, GroupRequest, GroupResult } from '../rollout/decoding/types.ts';

/** The most rounds in which a group is asked for; after them it is handed on with the answers that it has. */
export const MOST_ASKED = 3;

const isWhole = ({ completions }: GroupResult): boolean =>
  completions.every(({ stopReason }) => stopReason !== 'error');

/**
 * Calls `ask(requests, options, round)`, and again with those groups that come back without an answer, up to `MOST_ASKED` rounds. A group
 * is reported once it is whole or given up. Rejects as `ask` does.
 */
export async function askedInFull(
  ask: (requests: readonly GroupRequest[], options: GenerateOptions, round: number) => Promise<GroupResult[]>,
  requests: readonly GroupRequest[],
  options: GenerateOptions,
): Promise<GroupResult[]> {
  const { onGroup, onProgress } = options;
  const total = requests.reduce((sum, { samples }) => sum + samples, 0);
  const groups: GroupResult[] = [];
  let open = [...requests.keys()];
  for (let round = 0; open.length > 0; round++) {
    const last = round + 1 === MOST_ASKED;
    const asked = open;
    const before = groups.flatMap(({ completions }) => completions);
    const tokensBefore = before.reduce((sum, { tokens }) => sum + tokens.length, 0);
    const answers = await ask(
      asked.flatMap((index) => requests[index] ?? []),
      {
        ...options,
        onProgress: ({ tokens, finished }) =>
          onProgress?.({ tokens: tokensBefore + tokens, finished: before.length + finished, total }),
        // Without a listener to groups, a pool may still take one back.
        ...(onGroup && {
          onGroup(i, group) {
            if (last || isWhole(group)) onGroup(asked[i] ?? NaN, group);
          },
        }),
      },
      round,
    );
    for (const [i, group] of answers.entries()) if (last || isWhole(group)) groups[asked[i] ?? NaN] = group;
    open = asked.filter((index) => !groups[index]);
  }
  return groups;
}
