import type { Arrow, Project, Source } from './project.ts';

/** The floors of src/ from the ground up: a file may import from its own floor and from those before it. */
export const FLOORS: readonly string[] = [
  'check',
  'numeric',
  'random',
  'privacy',
  'polynomial',
  'mechanism',
  'risk',
  'optimize',
  'inference',
  'core',
  'audit',
  'simulation',
  'testing',
  'client',
  'node',
];

/** What protocols may import of each other: the first stands on the others. No other arrow leads from one to another. */
export const PROTOCOL_ORDER: Readonly<Record<string, readonly string[]>> = {
  hinge: ['generalized-linear'],
  'euclidean-median': ['generalized-linear'],
  'user-level-erm': ['user-level-mean'],
  'gradient-waves': ['generalized-linear', 'user-level-mean'],
  'noisy-newton': ['noisy-gradient-descent'],
};

/** The packages that run in a browser too; every other one belongs in src/node. */
const PORTABLE: readonly string[] = ['@noble/hashes', 'mathjs', 'ml-matrix', 'seedrandom', 'valibot'];

/** What a player's device must never have to load. */
const HEAVY: readonly string[] = ['mathjs', 'ml-matrix'];

/** The entry "./expression": part of the floor risk, and not of src/index.ts. */
const EXPRESSION = 'src/risk/expression/';

/** Every relative import leads to a file that exists, with its extension. */
export function danglingImports(project: Project): string[] {
  return complaints(project, isProgram, (_, arrow) =>
    arrow.specifier?.startsWith('.') && arrow.target === undefined
      ? `imports ${arrow.specifier}, which is no file`
      : '',
  );
}

/** Outside src/node the target of an import is a literal: an arrow nobody can see is an arrow nobody can check. */
export function computedImports(project: Project): string[] {
  return complaints(project, isPortable, (_, arrow) =>
    arrow.specifier === undefined ? 'imports something computed' : '',
  );
}

/** Arrows between the floors of src/ lead downwards only; of them src/node alone, which stands above the protocols, imports one. */
export function upwardImports(project: Project): string[] {
  const found = complaints(project, isSource, (source, { target }) => {
    if (target === undefined) return '';
    if (isProtocol(target) && source.path.startsWith('src/node/')) return '';
    const to = heightOf(target);
    if (to === undefined) return `imports ${target}, which is no floor of src`;
    const from = heightOf(source.path);
    return from !== undefined && to > from ? `imports ${target}, which lies above it` : '';
  });
  for (const path of project.sources.keys()) {
    if (isSource(path) && heightOf(path) === undefined) found.push(`${path} lies on no known floor`);
  }
  return found;
}

/** No file imports itself by way of others, types included. */
export function importCycles(project: Project): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      cycles.push([...trail.slice(start), path].join(' → '));
    } else if (!done.has(path)) {
      trail.push(path);
      for (const { target } of project.sources.get(path)?.arrows ?? []) if (target !== undefined) visit(target);
      trail.pop();
      done.add(path);
    }
  };
  for (const path of project.sources.keys()) visit(path);
  return cycles;
}

/** A protocol imports src/ (never src/node), its own rooms and the protocols that it is declared to stand on: of packages a hash alone. */
export function foreignImports(project: Project): string[] {
  const declared = (from: string, to: string): boolean => {
    const [name, other] = [from, to].map((path) => protocolOf(path).slice('protocols/'.length));
    return name === other || PROTOCOL_ORDER[name]?.includes(other) === true;
  };
  return complaints(project, isProtocol, (source, { target, module }) => {
    if (module === '@noble/hashes') return '';
    if (module !== undefined) return `imports ${module}: a protocol imports src and protocols only`;
    if (target === undefined || (target.startsWith('src/') && !target.startsWith('src/node/'))) return '';
    if (isProtocol(target) && declared(source.path, target)) return '';
    return `imports ${target}: that is not declared`;
  });
}

/** The evidence imports the package by its name, as its users do, packages, and its own files. */
export function evidenceImports(project: Project): string[] {
  return complaints(project, isEvidence, (_, { target }) =>
    target === undefined || isEvidence(target) ? '' : `imports ${target}: the evidence imports public entries only`,
  );
}

/** The playground imports the package by its name, nothing of Node, and its own files. */
export function playgroundImports(project: Project): string[] {
  return complaints(project, isPlayground, (_, { specifier, target }) => {
    const own = target !== undefined && isPlayground(target);
    const entry = specifier !== undefined && /^ldpkit(?:\/(?!node$)|$)/.test(specifier);
    return own || entry ? '' : `imports ${specifier}: the playground imports public entries only`;
  });
}

/** A player and a server never reach each other, however long the way. They meet in the parameters and the report. */
export function playerMeetsServer(project: Project): string[] {
  const found: string[] = [];
  for (const path of project.sources.keys()) {
    if (!isProtocol(path)) continue;
    const other = /\/player\.ts$/.test(path) ? 'server' : /\/server\.ts$/.test(path) ? 'player' : undefined;
    if (other === undefined) continue;
    for (const reached of reachableFrom(project, path, true)) {
      if (isProtocol(reached) && reached.endsWith(`/${other}.ts`)) found.push(`${path} reaches ${reached}`);
    }
  }
  return found;
}

/** Nothing outside src/node imports a module of Node or a package that needs it. */
export function nodeImports(project: Project): string[] {
  return complaints(project, isPortable, (_, { module, target }) => {
    if (target?.startsWith('src/node/')) return `imports ${target}`;
    return module !== undefined && !PORTABLE.includes(module) ? `imports ${module}` : '';
  });
}

/**
 * A package that the product imports is one that its users get: it is among the "dependencies". What collects may need more,
 * which those who collect install themselves: "peerDependencies".
 */
export function undeclaredPackages(project: Project): string[] {
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(project.texts['package.json'] ?? '{}');
  return complaints(project, isProduct, ({ path }, { module }) => {
    if (module === undefined || module.startsWith('node:') || Object.hasOwn(dependencies, module)) return '';
    if (/^src\/node\/(?:serve\/|nats\.ts$)/.test(path) && Object.hasOwn(peerDependencies, module)) return '';
    return `imports ${module}, which is not among the dependencies`;
  });
}

/** What a player loads, at any distance, is small. */
export function heavyPlayers(project: Project): string[] {
  const found: string[] = [];
  for (const player of project.sources.keys()) {
    if (!isProtocol(player) || !player.endsWith('/player.ts')) continue;
    for (const path of reachableFrom(project, player, false)) {
      for (const { module, typeOnly } of project.sources.get(path)?.arrows ?? []) {
        if (module !== undefined && !typeOnly && HEAVY.includes(module)) {
          found.push(`${player} reaches ${module} by ${path}`);
        }
      }
    }
  }
  return found;
}

/** mathjs is loaded by the entry "./expression" alone, and nothing but the Node floor builds on that entry. */
export function strayExpressions(project: Project): string[] {
  return complaints(project, isProduct, ({ path }, { module, target }) => {
    if (path.startsWith(EXPRESSION)) return '';
    if (module === 'mathjs') return `imports mathjs: only ${EXPRESSION} does`;
    const builds = target?.startsWith(EXPRESSION) === true && !path.startsWith('src/node/');
    return builds ? `imports ${target}, which loads mathjs` : '';
  });
}

/** The height of a file of src/: the index of its floor; src/index.ts lies just below node. */
function heightOf(path: string): number | undefined {
  if (path === 'src/index.ts') return FLOORS.indexOf('node') - 0.5;
  const [top, floor, file] = path.split('/');
  const height = FLOORS.indexOf(floor);
  return top === 'src' && file !== undefined && height >= 0 ? height : undefined;
}

/** All the files that a file loads, itself included; with `types`, those too that it only takes types from. */
export function reachableFrom(project: Project, from: string, types: boolean): Set<string> {
  const reached = new Set([from]);
  for (const path of reached) {
    for (const { target, typeOnly } of project.sources.get(path)?.arrows ?? []) {
      if (target !== undefined && (types || !typeOnly)) reached.add(target);
    }
  }
  return reached;
}

function complaints(
  { sources }: Project,
  concerns: (path: string) => boolean,
  complaint: (source: Source, arrow: Arrow) => string,
): string[] {
  const found: string[] = [];
  for (const source of sources.values()) {
    if (!concerns(source.path)) continue;
    for (const arrow of source.arrows) {
      const text = complaint(source, arrow);
      if (text !== '') found.push(`${source.path} ${text}`);
    }
  }
  return found;
}

const isProgram = (): boolean => true;
const isSource = (path: string): boolean => path.startsWith('src/');
const isProtocol = (path: string): boolean => path.startsWith('protocols/');
const isEvidence = (path: string): boolean => path.startsWith('test/evidence/');
const isPlayground = (path: string): boolean => path.startsWith('playground/');
const isProduct = (path: string): boolean => isSource(path) || isProtocol(path);
const isPortable = (path: string): boolean => isProduct(path) && !path.startsWith('src/node/');
const protocolOf = (path: string): string => path.split('/').slice(0, 2).join('/');
