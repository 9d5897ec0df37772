// The types of programs, by the compiler: a program of its own, since the compiler takes twice the time inside jest.
// Standard input: JSON { root, programs: [{ place, code }] }. Standard output: JSON, the messages of each place.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// Imported, the compiler's ten megabytes would be read for the names that they export.
const ts = createRequire(import.meta.url)('typescript');

const { root, programs } = JSON.parse(readFileSync(0, 'utf8'));

/** Where the manifest's public names lead among the sources. */
function publicPaths() {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const paths = [];
  for (const [key, target] of Object.entries(exports)) {
    if (target.default === undefined) continue;
    paths.push([name + key.slice(1), [join(root, target.default.replace('/dist/', '/').replace(/\.js$/, '.ts'))]]);
  }
  // Of two patterns that match equally far the compiler takes the first: the more specific one.
  return Object.fromEntries(paths.sort(([a], [b]) => b.length - a.length));
}

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: ['package.json'] }, ts.sys, root);
const settings = {
  ...options,
  noEmit: true,
  // As strict as a reader's own project may be.
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  declaration: false,
  isolatedDeclarations: false,
  noUnusedLocals: false,
  noUnusedParameters: false,
  paths: publicPaths(),
};
const texts = new Map(programs.map((program, i) => [join(root, `documentation-${i}.mts`), program]));
const host = ts.createCompilerHost(settings);
host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
const { fileExists, readFile, getSourceFile } = host;
host.fileExists = (path) => texts.has(path) || fileExists(path);
host.readFile = (path) => texts.get(path)?.code ?? readFile(path);
host.getSourceFile = (path, version, ...rest) => {
  const program = texts.get(path);
  // `export {}` makes a module of a program without imports: two documents may then both have a `parameters`.
  return program === undefined
    ? getSourceFile(path, version, ...rest)
    : ts.createSourceFile(path, `${program.code}\nexport {};`, version, true);
};
const all = ts.createProgram([...texts.keys()], settings, host);
const errors = [...texts].map(([path, { place }]) => {
  const found = ts.getPreEmitDiagnostics(all, all.getSourceFile(path)).filter(({ file }) => file?.fileName === path);
  return [place, found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))];
});
process.stdout.write(JSON.stringify(errors));
