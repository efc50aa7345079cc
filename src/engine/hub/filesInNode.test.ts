import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesAtPath, fromCaller, isModelPath } from './filesInNode.ts';
import { OpenFolder } from './openFolder.ts';

const folder = mkdtempSync(join(tmpdir(), 'files-in-node-'));
beforeAll(() => {
  mkdirSync(join(folder, 'model/adapter'), { recursive: true });
  writeFileSync(join(folder, 'model/config.json'), '{"a":1}');
  writeFileSync(join(folder, 'model/adapter/x.bin'), 'adapter');
  symlinkSync(join(folder, 'model/config.json'), join(folder, 'model/linked.json'));
  writeFileSync(join(folder, 'model.zip'), zipSync({ 'm/config.json': strToU8('{"a":2}') }));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('files of this machine', () => {
  it('are those of a folder, but for links, which are listed and refused', async () => {
    const files = await filesAtPath(join(folder, 'model'), './model');
    expect([files.label, [...(files.names ?? [])].sort()]).toEqual([
      './model',
      ['config.json', 'linked.json'],
    ]);
    const text = async (name: string) =>
      new TextDecoder().decode((await new OpenFolder(files).read(name)) ?? undefined);
    await expect(text('linked.json')).rejects.toThrow(/linked\.json is a link, to .*config\.json/);
    expect(await text('adapter/x.bin')).toBe('adapter');
    expect(await files.open('adapter')).toBeNull();
    const piece = await (await files.open('config.json'))?.read(1, 4);
    expect(new TextDecoder().decode(piece)).toBe('"a"');
  });

  it('or of a zip', async () => {
    const files = await filesAtPath(join(folder, 'model.zip'));
    expect(await new OpenFolder(files).read('config.json')).toEqual(strToU8('{"a":2}'));
  });

  it('are missed by the name that was given', async () => {
    await expect(filesAtPath(join(folder, 'nothing'), '../nothing')).rejects.toThrow(
      /^\.\.\/nothing does not exist/,
    );
  });
});

it('tells paths from names', () => {
  const paths = ['/a', './a', '../a', '.', '..', 'a.zip', 'b/a.ZIP', 'C:\\a', '.\\a'];
  const names = ['starter', 'org/name', 'a.b', '.hidden', 'zip'];
  expect([paths.filter(isModelPath), names.filter(isModelPath)]).toEqual([paths, []]);
});

it('resolves a path from where npm was called', () => {
  const before = process.env['INIT_CWD'];
  process.env['INIT_CWD'] = '/somewhere/else';
  expect([fromCaller('../a'), fromCaller('/b')]).toEqual(['/somewhere/a', '/b']);
  if (before === undefined) delete process.env['INIT_CWD'];
  else process.env['INIT_CWD'] = before;
});
