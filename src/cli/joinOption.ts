/** `--join`, which several programs take. */
import { InvalidArgumentError, Option } from 'commander';
import { messageOf } from '@rl-playground/base/errors';
import { parseServerAddress } from '@rl-playground/machines';

export const joinOption = (): Option =>
  new Option(
    '--join <address>',
    'a NATS server, as npx rl-playground hub prints it: nats://TOKEN@host:4222',
  ).argParser((text) => {
    try {
      return parseServerAddress(text);
    } catch (error) {
      throw new InvalidArgumentError(messageOf(error));
    }
  });
