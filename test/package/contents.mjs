// What the packed package may hold, and what nothing in it may give away.
import { posix } from 'node:path';

/** What npm packs whatever the manifest says. */
const ALWAYS = ['LICENSE', 'README.md', 'package.json'];

/** What the build makes beside the sources' own files: the list of protocols. */
export const LISTING = 'dist/src/node/studies.json';

/**
 * The documents beside dist/: those of these files that the manifest's "files" name, by path, folder or pattern.
 *
 * @param {readonly string[]} patterns
 * @param {readonly string[]} files
 * @returns {string[]}
 */
export function documentsOf(patterns, files) {
  const wanted = patterns
    .filter((pattern) => pattern !== 'dist')
    .map((pattern) => new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(?:/|$)`));
  return files.filter((file) => ALWAYS.includes(file) || wanted.some((pattern) => pattern.test(file)));
}

/**
 * The relative links of packed pages that lead to no packed file.
 *
 * @param {readonly string[]} packed
 * @param {(page: string) => readonly string[]} linksOf the relative links of a page
 * @returns {string[]}
 */
export function deadLinks(packed, linksOf) {
  return packed
    .filter((file) => file.endsWith('.md'))
    .flatMap((page) =>
      linksOf(page)
        .map((link) => decodeURI(link.split('#')[0]))
        .filter((path) => path !== '' && !packed.includes(posix.join(posix.dirname(page), path)))
        .map((path) => `${page} leads to ${path}, which is not in the package`),
    );
}

/**
 * What is wrong with a list of packed files, given the sources they are made from and the documents beside them: files that do not belong to the
 * package (tests, source maps, what deleted sources left in dist/) and files that it lacks.
 *
 * @param {readonly string[]} packed
 * @param {readonly string[]} sources
 * @param {readonly string[]} documents
 * @returns {string[]}
 */
export function wrongFiles(packed, sources, documents) {
  const expected = [...documents, LISTING];
  for (const source of sources) {
    for (const extension of ['.js', '.d.ts']) expected.push(`dist/${source.replace(/\.ts$/, extension)}`);
  }
  return [
    ...packed.filter((file) => !expected.includes(file)).map((file) => `${file} does not belong in the package`),
    ...expected.filter((file) => !packed.includes(file)).map((file) => `${file} is missing from the package`),
  ];
}

/**
 * What a packed text gives away of the machine it was packed on.
 *
 * @param {string} text
 * @param {string} root the folder of the checkout
 * @returns {string[]}
 */
export function leaks(text, root) {
  const found = [];
  if (text.includes(root)) found.push('the folder of the checkout');
  if (/(?:^|[^\w.])\/(?:home|Users|root)\/\w/m.test(text)) found.push('a folder of a person');
  if (/[#@] ?sourceMappingURL=/.test(text)) found.push('a source map');
  return found;
}
