import ts from 'typescript';
import { reachableFrom } from './arrows.ts';
import { type Project, type Source, walk } from './project.ts';

/** Coins that nobody else may know. */
const SECRET_COINS: readonly string[] = ['src/random/secure.ts'];

/** What belongs to a server by its name, in any folder of a protocol. What `protocol.ts` makes a server of is added to these. */
const SERVING = /(?:^|[/-])(?:server|report|tally(?:ing)?|estimate|decoder|state|saved|rounds|course|channels?)\.ts$/;

/** The parts of a protocol object that read reports. */
const SERVING_PARTS: readonly string[] = ['report', 'server', 'rounds'];

/** The types whose second argument is what a player holds. */
const PLAYERS: readonly string[] = ['Player', 'SequentialPlayer', 'Playable'];

/** Files and folders that take coins and that a server may reach all the same, with the reason. A datum they may not take either. */
const COIN_HOLDERS: Readonly<Record<string, string>> = {
  'src/random/': 'the coins themselves; public directions and seeds are made of them',
  'src/mechanism/':
    'a mechanism is one file: its draw, and what undoes its bias; it knows vectors and categories, no records',
  'src/inference/hessian-release.ts': 'as a mechanism: a noisy matrix, and the mean of many',
  'src/optimize/class-law.ts': 'laws that the moments leave open, drawn from a public seed',
  'src/optimize/tilted-law.ts': 'points of laws of classes, drawn from a public seed',
  'src/optimize/compared-risk.ts': 'thinnings of the moments, drawn from a public seed',
  'src/optimize/oracle.ts': 'the order in which a server reads its reports, drawn from a public seed',
  'src/risk/convex-mixture.ts': 'points of a mixture for the integrals of algorithms 2 and 3, drawn from a public seed',
  'protocols/generalized-linear/algorithm-2.ts': 'its integral by points from a public seed',
  'protocols/euclidean-median/algorithm-3.ts': 'its integral by points from a public seed',
};

/** The files of servers draw no coins, and reach neither secret coins, nor a player, nor any file that takes coins but a coin holder. */
export function coinsOfServers(project: Project): string[] {
  const found: string[] = [];
  for (const path of serversOf(project)) {
    const direct = /^protocols\/[^/]+\/(?:server|report)\.ts$/.test(path);
    for (const { target } of project.sources.get(path)?.arrows ?? []) {
      if (direct && target?.startsWith('src/random/'))
        found.push(`${path} imports ${target}: only a player draws coins`);
    }
    for (const reached of reachableFrom(project, path, false)) {
      if (SECRET_COINS.includes(reached) || /(?:^|[/-])(?:player|device)\.ts$/.test(reached)) {
        found.push(`${path} reaches ${reached}`);
      } else if (holderOf(reached) === undefined && coinTaker(project, reached) !== undefined) {
        found.push(`${path} reaches ${reached}, where ${coinTaker(project, reached)} takes coins`);
      }
    }
  }
  return found;
}

/** No file of a server reaches, however long the way, one with a function that takes what a player holds. */
export function dataOfServers(project: Project): string[] {
  const types = datumTypes(project);
  const found: string[] = [];
  for (const path of serversOf(project)) {
    for (const reached of reachableFrom(project, path, false)) {
      const source = project.sources.get(reached);
      const taker = source === undefined ? undefined : takerOf(source, types, 'datum');
      if (taker !== undefined) found.push(`${path} reaches ${reached}, where ${taker} takes a datum`);
    }
  }
  return found;
}

/** Coin holders that are not there, or that no server reaches with a function that takes coins: what they excuse is nothing. */
export function idleHolders(project: Project): string[] {
  const needed = new Set<string | undefined>();
  for (const path of serversOf(project)) {
    for (const reached of reachableFrom(project, path, false)) {
      if (coinTaker(project, reached) !== undefined) needed.add(holderOf(reached));
    }
  }
  return Object.keys(COIN_HOLDERS).filter((holder) => !needed.has(holder));
}

/** The files of servers: by their name, and those that the parts of a protocol object are taken from. */
export function serversOf(project: Project): Set<string> {
  const servers = new Set<string>();
  for (const source of project.sources.values()) {
    if (!source.path.startsWith('protocols/')) continue;
    if (SERVING.test(source.path)) servers.add(source.path);
    if (source.path.endsWith('/protocol.ts')) for (const path of partsOf(source)) servers.add(path);
  }
  return servers;
}

/** The names of the types that players hold, under all their names: the second argument of `Player` where one is declared. */
export function datumTypes({ sources }: Project): Set<string> {
  const types = new Set<string>();
  const aliases: (readonly [string, string])[] = [];
  for (const { path, tree } of sources.values()) {
    if (!/^(?:src|protocols)\//.test(path)) continue;
    walk(tree, (node) => {
      if (ts.isTypeReferenceNode(node) && PLAYERS.includes(node.typeName.getText())) {
        const datum = node.typeArguments?.[1];
        // In a protocol: what src says of players in general has a type parameter there.
        if (path.startsWith('protocols/') && datum !== undefined && ts.isTypeReferenceNode(datum)) {
          types.add(datum.typeName.getText());
        }
      } else if ((ts.isImportSpecifier(node) || ts.isExportSpecifier(node)) && node.propertyName !== undefined) {
        aliases.push([node.propertyName.text, node.name.text]);
      } else if (ts.isTypeAliasDeclaration(node) && ts.isTypeReferenceNode(node.type)) {
        if (node.type.typeArguments === undefined) aliases.push([node.type.typeName.getText(), node.name.text]);
      }
    });
  }
  // Names of names: as long as one more is found.
  for (let size = -1; size !== types.size; ) {
    size = types.size;
    for (const [one, other] of aliases) {
      if (types.has(one)) types.add(other);
      if (types.has(other)) types.add(one);
    }
  }
  return types;
}

const COINS: ReadonlySet<string> = new Set(['Random']);

function coinTaker({ sources }: Project, path: string): string | undefined {
  const source = sources.get(path);
  return source === undefined ? undefined : takerOf(source, COINS, 'random');
}

function holderOf(path: string): string | undefined {
  return Object.keys(COIN_HOLDERS).find((holder) => (holder.endsWith('/') ? path.startsWith(holder) : path === holder));
}

/** The first function of a file with a parameter of one of these types, or of this name; a name where it has one. */
function takerOf({ tree }: Source, types: ReadonlySet<string>, name: string): string | undefined {
  let found: string | undefined;
  walk(tree, (node) => {
    if (found !== undefined || !ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return;
    if (node.parameters.some((parameter) => parameter.name.getText() === name || mentions(parameter.type, types))) {
      const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
      found = named?.getText() ?? 'a function';
    }
  });
  return found;
}

/** Whether a type has one of these names in it. One of a function has not: whoever is given a function is given no datum yet. */
function mentions(type: ts.Node | undefined, types: ReadonlySet<string>): boolean {
  if (type === undefined || ts.isFunctionTypeNode(type)) return false;
  if (ts.isTypeReferenceNode(type) && types.has(type.typeName.getText())) return true;
  return ts.forEachChild(type, (child) => mentions(child, types) || undefined) ?? false;
}

/** The files that the serving parts of the objects of a protocol file are imported from. */
function partsOf({ tree, arrows }: Source): string[] {
  const origins = new Map<string, string>();
  for (const statement of tree.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const { text } = statement.moduleSpecifier;
    const target = arrows.find(({ specifier }) => specifier === text)?.target;
    const names = statement.importClause?.namedBindings;
    if (target === undefined || names === undefined || !ts.isNamedImports(names)) continue;
    for (const { name, isTypeOnly } of names.elements) if (!isTypeOnly) origins.set(name.text, target);
  }
  const found = new Set<string>();
  walk(tree, (node) => {
    const part = ts.isShorthandPropertyAssignment(node) || ts.isPropertyAssignment(node) ? node.name.getText() : '';
    if (!SERVING_PARTS.includes(part)) return;
    walk(node, (inner) => {
      const origin = ts.isIdentifier(inner) ? origins.get(inner.text) : undefined;
      if (origin?.startsWith('protocols/')) found.add(origin);
    });
  });
  return [...found];
}
