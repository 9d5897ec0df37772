import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { builtProject, makeProject, startReader, trace, versionsIn } from './build/project.ts';

// Builds of scripts/build.mjs at the same time, in the small checkout of build.test.ts.
const { project, dist, sources: first } = builtProject();

describe('a build', () => {
  test('beside another one of other sources: one of the two wins with all its files', async () => {
    const [one, other] = [project.write('one'), project.write('other', 5)];
    for (let turn = 0; turn < 5; turn++) {
      const endings = await Promise.all([project.build(one), project.build(other), project.build(one)]);
      expect(endings).toEqual(endings.map(() => ({ status: 0, said: '' })));
      expect(versionsIn(dist)).toHaveLength(1);
      const expected = versionsIn(dist)[0].includes('one') ? one : other;
      const files = (folder: string) => Object.keys(trace(folder));
      // The build itself adds the list of protocols.
      const made = [...files(join(project.root, expected)), join('node', 'studies.json')];
      expect(files(join(dist, 'src'))).toEqual(made.sort());
    }
  });
});

describe('who imports dist/ all the time', () => {
  test('always finds every file, while builds of changed sources run two at a time', async () => {
    const reader = startReader(project);
    await reader.tries(1);
    for (let turn = 1; turn <= 6; turn++) {
      // Every version changes all modules and adds one.
      const sources = project.write(`version-${turn}`, turn);
      await Promise.all([project.build(sources), project.build(sources)]);
      expect(versionsIn(dist)).toEqual([`export const version = 'version-${turn}';\n`]);
      await reader.tries(1);
    }
    const lines = await reader.end();
    expect(lines.length).toBeGreaterThan(6);
    expect(lines.filter((line) => line !== 'found')).toEqual([]);
  });

  test('misses one where a build deletes first (control)', async () => {
    const reader = startReader(project);
    await reader.tries(1);
    rmSync(dist, { recursive: true });
    // The compiler takes its time. Of two tries the second began after the deletion.
    await reader.tries(2);
    await project.build(first);
    expect((await reader.end()).filter((line) => /^missed .*dist.src.index\.js/.test(line))).not.toEqual([]);
  });
});

describe('npx in a checkout', () => {
  test('would build if the script of npm were the build itself (control)', async () => {
    const other = makeProject('node node_modules/typescript/bin/tsc --outDir dist');
    try {
      await other.build(other.write('first'));
      const compiled = other.compiled();
      await other.run('npx', 'made-up');
      expect(other.compiled()).toBe(compiled + 1);
    } finally {
      other.end();
    }
  });

  test('builds where nothing is built', async () => {
    rmSync(dist, { recursive: true });
    rmSync(join(project.root, 'home'), { recursive: true, force: true });
    const before = project.compiled();
    await project.run('npx', 'made-up');
    expect(project.compiled()).toBe(before + 1);
  });
});
