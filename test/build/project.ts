import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeEach, expect } from '@jest/globals';

const ROOT = resolve(__dirname, '../..');

/** The modules that the index of a made-up project imports: enough that a swap takes a moment. */
const PARTS = 40;

// Copies the folder that SOURCES names, and leaves a trace; ends with its parent alone with HANG, fails where there is a fault.
const COMPILER = `#!/usr/bin/env node
const { appendFileSync, cpSync, existsSync, mkdirSync } = require('node:fs');
const { SOURCES = 'sources/first', HANG } = process.env;
const folder = process.argv[process.argv.indexOf('--outDir') + 1];
const parent = process.ppid;
mkdirSync(folder, { recursive: true });
cpSync(SOURCES, folder + '/src', { recursive: true });
appendFileSync('compiled', 'once\\n');
// Whoever waits for it may be killed: then it ends too.
if (HANG) setInterval(() => process.ppid === parent || process.exit(), 20);
else if (existsSync(SOURCES + '/fault')) process.exitCode = 2;
`;

// Imports the index anew again and again, each time in a thread of its own, and says how it went line by line.
const READER = `
import { Worker } from 'node:worker_threads';
const index = new URL('../dist/src/index.js', import.meta.url).href;
const code = "import('" + index + "').then(({ versions }) => { if (versions.includes(undefined)) throw new Error('half'); })";
for (;;) {
  await new Promise((done) => {
    let line = 'found';
    new Worker(code, { eval: true }).on('error', ({ message }) => (line = 'missed ' + message)).on('exit', () => {
      process.stdout.write(line.replaceAll('\\n', ' ') + '\\n', done);
    });
  });
}
`;

/** How a command ended. */
export interface Ending {
  readonly status: number | null;
  readonly said: string;
}

/** A small checkout: this project's build script, the manifest's scripts, and a compiler that only copies. */
export interface Project {
  readonly root: string;
  /** Writes sources of a version: every module says which. `extra` adds modules that the index imports too. */
  readonly write: (version: string, extra?: number) => string;
  /** Builds what {@link write} returned. */
  readonly build: (sources: string, environment?: Readonly<Record<string, string>>) => Promise<Ending>;
  /** The same, told at once. */
  readonly start: (sources: string, environment?: Readonly<Record<string, string>>) => ChildProcess;
  /** Any command in it, with an empty home, without a network, and without what npm tells its scripts. */
  readonly run: (command: string, ...words: readonly string[]) => Promise<Ending>;
  /** How often the compiler ran. */
  readonly compiled: () => number;
  readonly end: () => void;
}

export function makeProject(prepare: string): Project {
  const root = mkdtempSync(join(tmpdir(), 'ldpkit-build-'));
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  mkdirSync(join(root, 'scripts'));
  cpSync(join(ROOT, 'scripts/build.mjs'), join(root, 'scripts/build.mjs'));
  put('node_modules/typescript/bin/tsc', COMPILER);
  put('node_modules/typescript/package.json', '{"name":"typescript","version":"1.0.0","type":"commonjs"}');
  put('scripts/reader.mjs', READER);
  const bin = { 'made-up': './dist/src/node/main.js' };
  put('package.json', JSON.stringify({ name: 'made-up', version: '1.0.0', type: 'module', bin, scripts: { prepare } }));
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const quiet = { npm_config_offline: 'true', npm_config_yes: 'false', npm_config_update_notifier: 'false' };
  const environment = { ...clean, ...quiet, HOME: join(root, 'home'), npm_config_cache: join(root, 'home/npm') };
  const begin = (command: string, words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    spawn(command, words, {
      cwd: root,
      env: { ...environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32' && command !== process.execPath,
    });
  const start: Project['start'] = (sources, more) =>
    begin(process.execPath, ['scripts/build.mjs'], { SOURCES: sources, ...more });
  return {
    root,
    write: (version, extra = 0) => {
      const folder = `sources/${version}`;
      const names = Array.from({ length: PARTS + extra }, (_, i) => `part-${i}`);
      for (const name of names) put(`${folder}/${name}.js`, `export const version = '${version}';\n`);
      const imports = names.map((name, i) => `import { version as v${i} } from './${name}.js';\n`);
      put(`${folder}/index.js`, `${imports.join('')}export const versions = [${names.map((_, i) => `v${i}`)}];\n`);
      put(`${folder}/node/main.js`, `#!/usr/bin/env node\nconsole.log('${version}');\n`);
      put(`${folder}/node/studies.js`, 'export const listing = async () => [];\n');
      return folder;
    },
    start,
    build: (sources, more) => ended(start(sources, more)),
    run: (command, ...words) => ended(begin(command, words)),
    compiled: () => readFileSync(join(root, 'compiled'), 'utf8').split('\n').length - 1,
    end: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A small checkout that is built once for the tests of a file, and again before each: its dist/ is that of `sources`. */
export function builtProject(): { readonly project: Project; readonly dist: string; readonly sources: string } {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const project = makeProject(manifest.scripts.prepare);
  const sources = project.write('first');
  beforeEach(async () => {
    expect(await project.build(sources)).toEqual({ status: 0, said: '' });
  });
  afterAll(() => project.end());
  return { project, dist: join(project.root, 'dist'), sources };
}

/** Waits for the end of a child. */
function ended(child: ChildProcess): Promise<Ending> {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
  }
  return new Promise((done, failed) => {
    child.on('error', failed).on('close', (status) => done({ status, said }));
  });
}

/** Every file below a folder with what tells whether it was touched. */
export function trace(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path): [string, string] => {
    const { ino, mtimeMs, mode } = statSync(join(folder, path));
    return [path, `${ino} ${mtimeMs} ${mode}`];
  });
  return Object.fromEntries(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The versions of the modules in dist/, each once. */
export function versionsIn(dist: string): readonly string[] {
  const files = readdirSync(join(dist, 'src')).filter((name) => name.startsWith('part-'));
  return [...new Set(files.map((name) => readFileSync(join(dist, 'src', name), 'utf8')))];
}

/** A process that imports dist/src/index.js of a project in a loop. */
export interface Reader {
  /** Waits until it has tried so many times more. */
  readonly tries: (count: number) => Promise<void>;
  /** Ends it and tells what it printed, a line for each time. */
  readonly end: () => Promise<readonly string[]>;
}

export function startReader({ root }: Project): Reader {
  const child = spawn(process.execPath, ['scripts/reader.mjs'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = new Promise((done) => child.on('close', done));
  let text = '';
  let wake = (): void => {};
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    wake();
  });
  const lines = (): string[] => text.split('\n').slice(0, -1);
  return {
    tries: async (count) => {
      const goal = lines().length + count;
      while (lines().length < goal) await new Promise<void>((done) => (wake = done));
    },
    end: async () => {
      child.kill();
      await closed;
      return lines();
    },
  };
}
