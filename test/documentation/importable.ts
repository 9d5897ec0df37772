import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** Sources by path from the root of the project. */
export type Sources = ReadonlyMap<string, string>;

/** All sources of some folders, by default those of the library; folder by folder in the order of their names. */
export function sourcesIn(root: string, places: readonly string[] = ['src', 'protocols']): Sources {
  const found = places.flatMap((place) => {
    const files = readdirSync(join(root, place), { recursive: true, encoding: 'utf8' });
    return files
      .filter((file) => file.endsWith('.ts'))
      .sort()
      .map((file) => posix.join(place, file.replaceAll('\\', '/')));
  });
  return new Map(found.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/** The files that `exports` of package.json names. */
const ENTRY = /^(?:src\/(?:[^/]+\/|risk\/expression\/)?index|protocols\/[^/]+\/(?:index|player))\.ts$/;

/** What an entry exports: the names that can be imported, and under its file what was declared there. */
function importable(sources: Sources): { readonly names: ReadonlySet<string>; readonly declared: ReadonlySet<string> } {
  const names = new Set<string>();
  const declared = new Set<string>();
  for (const [path, text] of sources) {
    if (!ENTRY.test(path)) continue;
    for (const [, list, from] of text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from '([^']*)')?/gm)) {
      for (const part of list.split(',').filter((one) => one.trim() !== '')) {
        const [name, as = name] = part
          .trim()
          .replace(/^type /, '')
          .split(' as ');
        names.add(as);
        declared.add(`${from === undefined ? path : join(dirname(path), from)} ${name}`);
      }
    }
    for (const [, name] of text.matchAll(/^export (?:function|const|interface|type|class) (\w+)/gm)) {
      names.add(name);
      declared.add(`${path} ${name}`);
    }
  }
  return { names, declared };
}

const DECLARATION =
  /(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^export (?:async )?(?:function|const|interface|type|class) (\w+)[\s\S]*?(?:^\}|^\)|;\n\n)/gm;

/**
 * What public doc comments name in backticks although nobody can import it: functions of the library that no entry exports,
 * as `file: declaration names function`. A word without a capital inside may be a field as well, and counts only as a call.
 */
export function unimportable(sources: Sources): string[] {
  const { names, declared } = importable(sources);
  const hidden = new Set<string>();
  for (const text of sources.values()) {
    for (const [, name] of text.matchAll(/^export (?:async )?function\*? (\w+)/gm))
      if (!names.has(name)) hidden.add(name);
  }
  const found: string[] = [];
  for (const [path, text] of sources) {
    for (const [whole, name] of text.matchAll(DECLARATION)) {
      if (!declared.has(`${path} ${name}`)) continue;
      const comments = whole.match(/\/\*\*(?:(?!\*\/)[\s\S])*\*\//g)?.join('\n') ?? '';
      const named = [...comments.matchAll(/`(\w+)(\([^`]*\))?`|\{@link (\w+)/g)]
        .filter(([, word, call]) => word === undefined || call !== undefined || /[a-z][A-Z]/.test(word))
        .map(([, word, , link]) => word ?? link);
      for (const one of new Set(named)) if (hidden.has(one)) found.push(`${path}: ${name} names ${one}`);
    }
  }
  return found;
}
