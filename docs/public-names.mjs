// A plugin of typedoc: every entry of the reference has the name under which the package exports it (ldpkit/privacy), not that of its
// file (src/privacy).
import { readFileSync } from 'node:fs';
import { Converter, ReflectionKind } from 'typedoc';

const { name, exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/**
 * The public name of an entry, given its place among the sources without `/index`.
 *
 * @param {string} place such as `src/privacy` or `protocols/hinge`
 * @returns {string}
 */
function publicName(place) {
  for (const [entry, target] of Object.entries(exports)) {
    const [, source] = /^\.\/dist\/(.*)\/index\.js$/.exec(target.default ?? '') ?? [];
    if (source === undefined) continue;
    const [before, after] = source.split('*');
    if (place === source) return name + entry.slice(1);
    if (after !== undefined && place.startsWith(before))
      return name + entry.slice(1).replace('*', place.slice(before.length));
  }
  throw new Error(`${place} is no entry of the package`);
}

export function load(application) {
  application.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module)) module.name = publicName(module.name);
  });
}
