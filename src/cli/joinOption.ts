/** `--join`, which several programs take. */
import { Option } from 'commander';
import { parseServerAddress } from '@rl-playground/machines';
import { readBy } from './program.ts';

export const joinOption = (): Option =>
  new Option(
    '--join <address>',
    'a NATS server, as npx rl-playground hub prints it: nats://TOKEN@host:4222',
  ).argParser(readBy(parseServerAddress));
