import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { builtProject, trace, versionsIn } from './build/project.ts';

// scripts/build.mjs in a small checkout, with a compiler that copies: what is looked at is how dist/ comes to be.
const { project, dist, sources: first } = builtProject();

describe('a build', () => {
  test('of the same sources touches nothing', async () => {
    const before = trace(dist);
    expect(Object.keys(before)).toContain(join('src', 'index.js'));
    await project.build(first);
    expect(trace(dist)).toEqual(before);
  });

  test('replaces what changed, and only that; what no source makes any more is gone', async () => {
    const before = trace(dist);
    mkdirSync(join(dist, 'src/deleted/deeply'), { recursive: true });
    writeFileSync(join(dist, 'src/deleted/deeply/a.js'), '');
    writeFileSync(join(dist, 'src/part-7.js'), 'edited');
    await project.build(first);
    const after = trace(dist);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    const touched = Object.keys(after).filter((file) => file.endsWith('.js') && after[file] !== before[file]);
    expect(touched).toEqual([join('src', 'part-7.js')]);
    expect(versionsIn(dist)).toHaveLength(1);
  });

  test('that fails leaves everything as it was', async () => {
    const before = trace(dist);
    const broken = project.write('broken');
    writeFileSync(join(project.root, broken, 'fault'), '');
    expect((await project.build(broken)).status).toBe(2);
    expect(trace(dist)).toEqual(before);
    expect(readdirSync(join(project.root, 'out'))).toEqual([]);
  });

  test('that is killed leaves everything as it was; a later one cleans up after it, not after one that still runs', async () => {
    const before = trace(dist);
    const compiled = project.compiled();
    const child = project.start(project.write('killed'), { HANG: 'yes' });
    const end = new Promise((done) => child.on('exit', done));
    while (project.compiled() === compiled) await new Promise((done) => setTimeout(done, 20));
    child.kill('SIGKILL');
    await end;
    const out = join(project.root, 'out');
    const [left] = readdirSync(out);
    await project.build(first);
    expect(readdirSync(out)).toEqual([left]);
    expect(trace(dist)).toEqual(before);
    utimesSync(join(out, left), new Date(0), new Date(0));
    await project.build(first);
    expect(readdirSync(out)).toEqual([]);
  });
});

// The control, and a checkout where nothing is built: build.long.test.ts.
describe('npx in a checkout', () => {
  test('runs what is built and builds nothing, without a network', async () => {
    const [before, compiled] = [trace(dist), project.compiled()];
    const { status, said } = await project.run('npx', 'made-up');
    expect(said).toContain('first\n');
    expect(status).toBe(0);
    expect(trace(dist)).toEqual(before);
    expect(project.compiled()).toBe(compiled);
    expect(existsSync(join(project.root, 'home/npm/_npx'))).toBe(true);
  });
});
