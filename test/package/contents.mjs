// What the packed package may hold, and what nothing in it may give away.

/** The documents beside dist/. */
export const DOCUMENTS = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'];

/** What the build makes beside the sources' own files: the list of protocols. */
export const LISTING = 'dist/src/node/commands/listing.json';

/**
 * What is wrong with a list of packed files, given the sources they are made from: files that do not belong to the
 * package (tests, source maps, what deleted sources left in dist/) and files that it lacks.
 *
 * @param {readonly string[]} packed
 * @param {readonly string[]} sources
 * @returns {string[]}
 */
export function wrongFiles(packed, sources) {
  const expected = [...DOCUMENTS, LISTING];
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
