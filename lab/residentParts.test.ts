import { expect, test } from 'vitest';
import { residentParts } from './residentParts.ts';

const mapping = (range: string, name: string, kilobytes: number): string =>
  `${range} rw-p 00000000 00:00 0 ${name === '' ? '' : `                  ${name}`}
Size:            1048576 kB
KernelPageSize:        4 kB
Rss:        ${String(kilobytes).padStart(12)} kB
Pss:                   1 kB
VmFlags: rd wr mr mw me ac sd
`;

test('files are the program, large mappings at the start of 4 GiB are heaps, and all else is the rest', () => {
  const smaps = [
    mapping('5612db441000-5612e9560000', '/usr/lib/chromium/chromium', 100_000),
    mapping('3c3a05480000-3c3a08880000', '', 50_000),
    mapping('3c4000000000-3c4009610000', '', 40_000),
    mapping('3c4200000000-3c4200030000', '', 192),
    mapping('3c4200030000-3c4217550000', '', 300_000),
    mapping('3c4400000000-3c4400010000', '', 64),
    mapping('7ffd00000000-7ffd00021000', '[stack]', 20_000),
  ].join('');
  expect(residentParts(smaps)).toEqual({
    program: 102_400_000,
    heaps: [307_200_000, 40_960_000],
    others: 1024 * 70_256,
  });
});
