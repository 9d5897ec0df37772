import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { checkFile, checkFolder, makeFolder, writeTogether } from '../../../src/node/files.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();
const file = write('file', 'a file');
const folder = dirname(file);

describe('writeTogether', () => {
  test('makes the folder and replaces what is there', async () => {
    const target = join(folder, 'new', 'folder');
    expect(await writeTogether('out', target, { a: 'old', b: 'old' })).toEqual([join(target, 'a'), join(target, 'b')]);
    await writeTogether('out', target, { a: 'new', b: 'new' });
    expect(readdirSync(target)).toEqual(['a', 'b']);
    expect(readFileSync(join(target, 'a'), 'utf8')).toBe('new');
  });

  test('writes nothing at all if one of the files cannot be written', async () => {
    const target = join(folder, 'half');
    mkdirSync(join(target, 'b'), { recursive: true });
    await expect(writeTogether('out', target, { a: 'text', b: 'text' })).rejects.toThrow(
      new RangeError(`"out" expected no folder of this name, got ${JSON.stringify(join(target, 'b'))}`),
    );
    expect(readdirSync(target)).toEqual(['b']);
    await expect(writeTogether('out', target, { c: 'text', 'no/such/folder': 'text' })).rejects.toThrow(
      '"out" expected a folder that can be written to',
    );
    expect(readdirSync(target)).toEqual(['b']);
  });

  test('puts no file in the place of what is neither a file nor a folder, such as /dev/null', async () => {
    const target = join(folder, 'devices');
    mkdirSync(target);
    symlinkSync('/dev/null', join(target, 'null'));
    await expect(writeTogether('out', target, { null: 'text' })).rejects.toThrow(
      new RangeError(`"out" expected a file, or nothing, of this name, got ${JSON.stringify(join(target, 'null'))}`),
    );
    expect(readlinkSync(join(target, 'null'))).toBe('/dev/null');
    expect(readdirSync(target)).toEqual(['null']);
  });

  test('writes the file that a link leads to, and leaves the link; a link to nothing is refused', async () => {
    const target = join(folder, 'linked');
    mkdirSync(join(target, 'elsewhere'), { recursive: true });
    writeFileSync(join(target, 'elsewhere/page'), 'old');
    symlinkSync('elsewhere/page', join(target, 'link'));
    symlinkSync('elsewhere/gone', join(target, 'dead'));
    expect(await writeTogether('out', target, { link: 'new' })).toEqual([join(target, 'link')]);
    expect(readlinkSync(join(target, 'link'))).toBe('elsewhere/page');
    expect(readFileSync(join(target, 'elsewhere/page'), 'utf8')).toBe('new');
    await expect(writeTogether('out', target, { link: 'newer', dead: 'text' })).rejects.toThrow(
      new RangeError(`"out" expected a file, or nothing, of this name, got ${JSON.stringify(join(target, 'dead'))}`),
    );
    expect(readFileSync(join(target, 'elsewhere/page'), 'utf8')).toBe('new');
    expect(readdirSync(join(target, 'elsewhere'))).toEqual(['page']);
  });

  test('says which option is wrong when there can be no folder', async () => {
    await expect(writeTogether('out', join(file, 'below'), { a: 'text' })).rejects.toThrow(
      '"out" expected a folder that can be written to',
    );
  });
});

test('checkFile refuses what is no file, and a file where there can be no folder; it leaves nothing', async () => {
  const before = readdirSync(folder);
  await checkFile('out', file);
  await checkFile('out', join(folder, 'new', 'file'));
  symlinkSync('gone', join(folder, 'to nothing'));
  const refused = (path: string, expected: string, got: string = path) =>
    expect(checkFile('out', path)).rejects.toThrow(
      new RangeError(`"out" expected ${expected}, got ${JSON.stringify(got)}`),
    );
  await refused(folder, 'no folder of this name');
  await refused(join(folder, 'to nothing'), 'a file, or nothing, of this name');
  await refused(join(file, 'below'), 'a folder', file);
  expect(readdirSync(folder)).toEqual([...before, 'to nothing'].sort());
});

describe('checkFolder', () => {
  test('accepts a folder and what is not there yet', async () => {
    await checkFolder('out', folder);
    await checkFolder('out', join(folder, 'nothing'));
    expect(readdirSync(folder)).not.toContain('nothing');
  });

  test('leaves nothing, and accepts what can be made in a folder that is there', async () => {
    const before = readdirSync(folder);
    await checkFolder('out', join(folder, 'a', 'b', 'c'));
    expect(readdirSync(folder)).toEqual(before);
  });

  // Nobody can make a folder there, whatever the rights: making it recursively would not come back.
  const nowhere = '/proc/sys/xx';
  (existsSync('/proc/sys') ? test : test.skip)('refuses a place where nothing can be made', async () => {
    await expect(checkFolder('out', nowhere)).rejects.toThrow(
      new RangeError(`"out" expected a folder that can be written to, got "${nowhere}"`),
    );
    await expect(makeFolder(join(nowhere, 'yy'))).rejects.toThrow('ENOENT');
    await expect(writeTogether('out', nowhere, { a: 'text' })).rejects.toThrow('a folder that can be written to');
  });

  const dangling = join(folder, 'dangling');
  symlinkSync(join(folder, 'gone'), dangling);

  test.each(['', file, join(file, 'below', 'it'), dangling])('refuses %j', async (path) => {
    await expect(checkFolder('out', path)).rejects.toThrow(
      new RangeError(`"out" expected a folder, got ${JSON.stringify(path)}`),
    );
  });
});
