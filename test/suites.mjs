// What jest is asked for: which files, by how many processes.

/** The files of `npm run test:long`, by their paths. */
const LONG = '\\.long\\.test\\.ts$';
/** All others, of `npm test`. */
const SHORT = '(?<!\\.long)\\.test\\.ts$';

/**
 * The arguments of jest, given those of test/run.mjs: a suite unless paths are named, and every core unless said otherwise.
 *
 * @param {readonly string[]} given
 * @returns {string[]}
 */
export function jestArguments(given) {
  const words = given.filter((word) => word !== '--long');
  // Jest leaves a core idle, which on a machine of two is half of it. Said twice, jest would take both for a hundred.
  const workers = words.some((word) => /^(?:--maxWorkers|--runInBand|-[wi])(?:=|$)/.test(word));
  const paths = words.some((word) => !word.startsWith('-'));
  return [
    ...(workers ? [] : ['--maxWorkers=100%']),
    ...words,
    // After "--": no option takes it for one of its values.
    ...(paths ? [] : ['--', given.includes('--long') ? LONG : SHORT]),
  ];
}
