import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { parseProject, readTexts, type Source, walk } from '../architecture/project.ts';

/** One line of the table: what is counted, and how many there are. */
export type Row = readonly [counted: string, amount: string];

/** The names that tell the kinds of a thing apart. */
const TAGS: readonly string[] = ['variant', 'kind', 'law'];

/** Folders of the claims of papers: in test/evidence, and in protocols/ of older checkouts. */
const EVIDENCE = /^test\/evidence\/|\/(?:validations|reproductions)\//;

const LARGEST = 5;

/** Everything that is counted in a checkout. The files that a function runs are counted in dist/, which has to be built from it. */
export function countCheckout(root: string): Row[] {
  const project = parseProject(readTexts(root, ['src', 'protocols', 'test']));
  const all = [...project.sources.values()];
  const published = all.filter(({ path }) => /^(?:src|protocols)\//.test(path));
  const evidence = all.filter(({ path }) => EVIDENCE.test(path));
  const tests = all.filter(({ path }) => path.startsWith('test/') && !EVIDENCE.test(path));
  const together = evidence.concat(tests);
  return [
    ['published files', number(published.length)],
    ['published source lines', number(lines(published))],
    ...floorsOf(published),
    ['files of evidence', number(evidence.length)],
    ['lines of evidence', number(lines(evidence))],
    ['files of tests', number(tests.length)],
    ['lines of tests', number(lines(tests))],
    ['lines of evidence and tests', number(lines(together))],
    ...exportRows(root),
    ['module-level `let` in published files', number(moduleLets(published))],
    ...TAGS.map((tag): Row => [`tests of \`${tag}\` in published files`, tagTests(published, tag)]),
    ['files that only forward, entries apart', number(forwarding(published, [...entriesOf(root).values()]).length)],
    ...[...published]
      .sort((a, b) => lines([b]) - lines([a]))
      .slice(0, LARGEST)
      .map((source, i): Row => [i === 0 ? 'largest files' : '', `${source.path} (${lines([source])})`]),
    ...runRows(root),
  ];
}

/** The table as Markdown. */
export function tableOf(rows: readonly Row[]): string {
  const text = ([counted, amount]: Row) => `| ${counted} | ${amount} |`;
  return [text(['counted', 'amount']), '|---|---:|', ...rows.map(text)].join('\n');
}

function floorsOf(published: readonly Source[]): Row[] {
  const application = published.filter(({ path }) => path.startsWith('src/node/'));
  const protocols = published.filter(({ path }) => path.startsWith('protocols/'));
  const library = published.length - application.length - protocols.length;
  const libraryLines = lines(published) - lines(application) - lines(protocols);
  return [
    ['— of the library, without protocols', `${number(libraryLines)} in ${library} files`],
    ['— of the protocols', `${number(lines(protocols))} in ${protocols.length} files`],
    ['— of the application (src/node)', `${number(lines(application))} in ${application.length} files`],
  ];
}

/** The source of every entry in package.json, by its name; a name with a star stands for one entry a protocol. */
function entriesOf(root: string): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const protocols = ts.sys.getDirectories(join(root, 'protocols'));
  const entries = new Map<string, string>();
  for (const [entry, targets] of Object.entries<{ default?: string }>(exports)) {
    const source = targets.default?.replace('./dist/', '').replace(/\.js$/, '.ts');
    if (source === undefined) continue;
    for (const protocol of entry.includes('*') ? protocols : ['']) {
      const path = source.replace('*', protocol);
      if (existsSync(join(root, path))) entries.set(entry.replace('*', protocol), path);
    }
  }
  return entries;
}

function exportRows(root: string): Row[] {
  const entries = entriesOf(root);
  const program = ts.createProgram(
    [...entries.values()].map((path) => join(root, path)),
    { ...configuration(root), noEmit: true },
  );
  const checker = program.getTypeChecker();
  const rows: Row[] = [];
  const things = new Set<ts.Symbol>();
  let names = 0;
  for (const [entry, path] of entries) {
    const file = program.getSourceFile(join(root, path));
    const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
    const exported = module === undefined ? [] : checker.getExportsOfModule(module);
    for (const symbol of exported) {
      things.add(symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
    }
    names += exported.length;
    rows.push([`— of \`${entry}\``, number(exported.length)]);
  }
  return [['exports of all entries', number(names)], ['different things among them', number(things.size)], ...rows];
}

function configuration(root: string): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options;
}

/** How many variables outlive the call of a function. */
export function moduleLets(sources: readonly Source[]): number {
  let found = 0;
  for (const { tree } of sources) {
    for (const statement of tree.statements) {
      if (!ts.isVariableStatement(statement)) continue;
      const { declarationList } = statement;
      if ((declarationList.flags & ts.NodeFlags.BlockScoped) === ts.NodeFlags.Let) {
        found += declarationList.declarations.length;
      }
    }
  }
  return found;
}

/** How often a tag is compared with something, switched on or asked for by `in`. */
export function tagTests(sources: readonly Source[], tag: string): string {
  const comparing = [
    ts.SyntaxKind.EqualsEqualsEqualsToken,
    ts.SyntaxKind.ExclamationEqualsEqualsToken,
    ts.SyntaxKind.InKeyword,
  ];
  const isTag = (node: ts.Expression): boolean =>
    (ts.isPropertyAccessExpression(node) && node.name.text === tag) ||
    (ts.isIdentifier(node) && node.text === tag) ||
    (ts.isStringLiteral(node) && node.text === tag);
  let found = 0;
  let files = 0;
  for (const { tree } of sources) {
    const before = found;
    walk(tree, (node) => {
      if (ts.isBinaryExpression(node) && comparing.includes(node.operatorToken.kind)) {
        if (isTag(node.left) || isTag(node.right)) found++;
      } else if (ts.isSwitchStatement(node) && isTag(node.expression)) found++;
    });
    if (found > before) files++;
  }
  return `${found} in ${files} files`;
}

/** Files, entries apart, in which nothing stands but imports and exports of what others wrote, also under another name. */
export function forwarding(sources: readonly Source[], entries: readonly string[]): string[] {
  return sources
    .filter(({ path, tree }) => !entries.includes(path) && tree.statements.every(forwards))
    .map(({ path }) => path);
}

function forwards(statement: ts.Statement): boolean {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.every(
      ({ initializer }) => initializer !== undefined && ts.isIdentifier(initializer),
    );
  }
  return ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement);
}

/** How many files have a function that one answer, or one estimate, of hinge calls. */
function runRows(root: string): Row[] {
  if (!existsSync(join(root, 'dist/protocols/hinge/index.js'))) throw new Error(`${root} is not built: npm run build`);
  const script = `
    import { Session } from 'node:inspector/promises';
    import { hinge, lifted } from ${JSON.stringify(join(root, 'dist/protocols/hinge/index.js'))};
    import { seededRandom } from ${JSON.stringify(join(root, 'dist/src/random/seeded.js'))};
    const parameters = lifted({ epsilon: 1, degree: 1, dimension: 3 });
    const random = seededRandom('count');
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    async function filesOf(work) {
      await session.post('Profiler.takePreciseCoverage');
      const value = work();
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const ran = ({ functions }) => functions.some(({ ranges: [{ count }] }) => count > 0);
      const own = result.filter((file) => /[/]dist[/](?:src|protocols)[/]/.test(file.url) && ran(file));
      return [value, own.map(({ url }) => url.replace(/^.*[/]dist[/]/, ''))];
    }
    const [report, randomize] = await filesOf(() =>
      hinge.player.randomize(parameters, { features: [0.6, 0, 0.8], label: 1 }, random));
    const tally = hinge.server.empty(parameters);
    hinge.server.add(parameters, tally, report);
    const [, estimate] = await filesOf(() => hinge.server.estimate(parameters, tally, { radius: 1 }));
    process.stdout.write(JSON.stringify({ randomize, estimate }));`;
  const { randomize, estimate } = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }),
  );
  return [
    ['files run by `randomize` of hinge', number(randomize.length)],
    ['files run by `estimate` of hinge', number(estimate.length)],
  ];
}

/** How many lines some files have together. */
export function lines(sources: readonly Source[]): number {
  let sum = 0;
  for (const { text } of sources) sum += text.trimEnd().split('\n').length;
  return sum;
}

function number(amount: number): string {
  return amount.toLocaleString('en');
}
