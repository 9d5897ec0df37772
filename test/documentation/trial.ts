import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { buildSync, transformSync } from 'esbuild';
import { sourcesIn } from './importable.ts';
import type { Program } from './markdown.ts';

/** How one program went. */
export interface Outcome {
  readonly status: number | null;
  readonly printed: string;
  readonly complaint: string;
}

/** A folder of a reader, who runs programs and commands in it. */
export interface Session {
  readonly folder: string;
  readonly program: (code: string) => Outcome;
  /** Lines of a shell in which `npx ldpkit` is this package, and `npm run` a script of the checkout. */
  readonly commands: (code: string) => Outcome;
}

/** A copy of the package as its users get it, made from the sources as they are now. */
export interface Trial {
  readonly run: (program: Program) => Outcome;
  /** How short programs go that share a process, one after the other: what each prints, and the error that one ends with. */
  readonly together: (programs: readonly Program[]) => readonly Outcome[];
  /** A folder in which the steps of a guide are done one after the other. */
  readonly session: (name: string) => Session;
  readonly end: () => void;
}

/** What a module says of another source file when it imports it. */
const SOURCE = /((?:\bfrom |\bimport |\bimport\()"\.[^"\n]*)\.ts(")/g;

/**
 * Builds the package in a folder of its own below the root: the manifest, and dist/ file by file. There the package's own
 * name leads, by its "exports", to that dist/, while its dependencies are those of the root. The types are checked elsewhere.
 */
export function beginTrial(root: string): Trial {
  mkdirSync(join(root, 'out'), { recursive: true });
  const folder = mkdtempSync(join(root, 'out', 'documentation-'));
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  const files = [...sourcesIn(root).keys()].map((path) => join(root, path));
  buildSync({
    entryPoints: files,
    outbase: root,
    outdir: join(folder, 'dist'),
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  for (const file of files) {
    const path = join(folder, 'dist', relative(root, file)).replace(/\.ts$/, '.js');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(SOURCE, '$1.js$2'));
  }
  return {
    run: (program) => run(folder, program),
    together: (programs) => together(folder, programs),
    session: (name) => session(root, folder, name),
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function session(root: string, trial: string, name: string): Session {
  const folder = join(trial, name);
  mkdirSync(folder);
  const bin = join(trial, 'bin');
  mkdirSync(bin, { recursive: true });
  const script = (of: string, lines: readonly string[]) =>
    writeFileSync(join(bin, of), `#!/bin/sh\nset -e\n${lines.join('\n')}\n`, { mode: 0o755 });
  const node = `"${process.execPath}"`;
  script('npx', ['[ "$1" = ldpkit ] || exit 127', 'shift', `exec ${node} "${trial}/dist/src/node/main.js" "$@"`]);
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const evidence = Object.entries<string>(scripts).filter(([, command]) => command.startsWith('node test/evidence/'));
  script('npm', [
    '[ "$1" = run ] || exit 127',
    'asked=$2',
    'shift 2',
    '[ "$1" != -- ] || shift',
    `cd "${root}"`,
    'case $asked in',
    ...evidence.map(([of, command]) => `${of}) exec ${node} ${command.replace(/^node /, '')} "$@" ;;`),
    '*) exit 127 ;;',
    'esac',
  ]);
  const environment = {
    ...process.env,
    NO_COLOR: '1',
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
  };
  const outcome = (command: string, words: readonly string[]): Outcome => {
    const { status, stdout, stderr } = spawnSync(command, words, {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    return { status, printed: stdout, complaint: stderr };
  };
  let programs = 0;
  return {
    folder,
    program(code) {
      const file = `program-${programs++}`;
      writeFileSync(join(folder, `${file}.mjs`), javascript(code));
      return outcome(process.execPath, [`${file}.mjs`]);
    },
    commands: (code) => outcome('sh', ['-e', '-c', code]),
  };
}

function run(folder: string, program: Program): Outcome {
  const cwd = write(folder, program);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['program.mjs'], { cwd, encoding: 'utf8' });
  return { status, printed: stdout, complaint: stderr };
}

/** Writes a program to a folder that is else empty: what the program writes is its own affair. Returns the folder. */
function write(folder: string, { place, code }: Program): string {
  const cwd = join(folder, place.replace(/[^a-z0-9]+/gi, '-'));
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'program.mjs'), javascript(code));
  return cwd;
}

function javascript(code: string): string {
  return transformSync(code, { loader: 'ts', format: 'esm', target: 'node20' }).code;
}

/** Imports a program from each folder of the command line, in that folder, and writes what they printed as JSON. */
const TOGETHER = `
import { pathToFileURL } from 'node:url';
const outcomes = [];
let [printed, complaint] = ['', ''];
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text) => ((printed += text), true);
process.stderr.write = (text) => ((complaint += text), true);
for (const folder of process.argv.slice(2)) {
  [printed, complaint] = ['', ''];
  let status = 0;
  process.chdir(folder);
  try {
    await import(pathToFileURL(folder + '/program.mjs').href);
  } catch (error) {
    status = 1;
    complaint += error.stack;
  }
  outcomes.push({ status, printed, complaint });
}
write(JSON.stringify(outcomes));
`;

function together(folder: string, programs: readonly Program[]): readonly Outcome[] {
  const folders = programs.map((program) => write(folder, program));
  const file = join(folder, 'together.mjs');
  writeFileSync(file, TOGETHER);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...folders], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`the programs ended with status ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

/** What the compiler says of each program under the strictest settings that a reader may have, by its place. */
export function typeErrors(root: string, programs: readonly Program[]): ReadonlyMap<string, readonly string[]> {
  const input = JSON.stringify({ root, programs });
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'test/documentation/types.mjs')], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`the compiler ended with ${status}: ${stderr}`);
  return new Map(JSON.parse(stdout) as [string, readonly string[]][]);
}
