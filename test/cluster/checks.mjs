// What a script checks, one line each; the last line counts them.
let passed = 0;
let failed = 0;

export function check(what, holds) {
  if (holds) passed++;
  else failed++;
  process.stdout.write(`${holds ? 'ok  ' : 'FAIL'} ${what}\n`);
}

/** Prints how many checks passed, and ends the script with 0 only if all did. */
export function finish() {
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exit(failed === 0 ? 0 : 1);
}
