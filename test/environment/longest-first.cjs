// The order of test files: those that take long first, so that no process is left with one when the others are done.
const { default: TestSequencer } = require('@jest/test-sequencer');

/** Files of more than forty seconds of one processor, with theirs. */
const SECONDS = {
  'test/gallery.long.test.ts': 130,
  'test/theory/forecast.long.test.ts': 110,
  'test/validations/user-level-erm.long.test.ts': 100,
  'test/protocols/hostile.long.test.ts': 90,
  'test/unit/node/command-line-forecast.long.test.ts': 85,
  'test/validations/user-level-vectors.long.test.ts': 75,
  'test/theory/user-level-erm-two-round.long.test.ts': 65,
  'test/theory/user-level-forecast.long.test.ts': 62,
  'test/documentation/guides.long.test.ts': 60,
  'test/protocols/contract-grids.long.test.ts': 60,
  'test/unit/node/command-line-stream.long.test.ts': 60,
  'test/unit/node/command-line-users.long.test.ts': 45,
};

module.exports = class LongestFirst extends TestSequencer {
  /** Milliseconds: those of the last time on this machine, or what is said above, or one for each byte. */
  time(test) {
    const last = super.time(test);
    if (last !== undefined) return last;
    const { path, context } = test;
    const [, seconds] = Object.entries(SECONDS).find(([file]) => path.endsWith(`/${file}`)) ?? [];
    return seconds === undefined ? (context.hasteFS.getSize(path) ?? 0) : 1000 * seconds;
  }
};
module.exports.SECONDS = SECONDS;
