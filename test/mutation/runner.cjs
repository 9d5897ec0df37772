// A runner of jest that runs its one test file again and again, each time with another mutant: everything that can be read once
// is. First the original, to see which test comes by which place. Orders come from the folder of the run; results go there line
// by line, so that who started this process sees when a mutant does not come to an end.
const { appendFileSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { default: TestRunner } = require('jest-runner');

/** Every run of the file leaves some memory behind; a process that holds so much is followed by another. */
const MOST_MEMORY = 1.5e9;

/** Shorter files are run whole: a test may use what another one has computed before. */
const SHORT_SECONDS = 2;

module.exports = class MutationRunner extends TestRunner {
  async runTests(tests, watcher) {
    const folder = process.env.LDPKIT_MUTATION;
    const orders = JSON.parse(readFileSync(join(folder, 'orders.json'), 'utf8'));
    const write = (line) => appendFileSync(join(folder, 'results.jsonl'), `${JSON.stringify(line)}\n`);
    let last;
    this.on('test-file-success', ([, result]) => {
      last = result;
    });
    this.on('test-file-failure', ([, error]) => {
      last = { numFailingTests: 0, numPassingTests: 0, testResults: [], testExecError: error };
    });
    const run = async (mutant, names) => {
      // The environment is built in this process and reads what is to be on.
      const order = { mutant, places: orders.places, tests: names, visits: new Map() };
      globalThis.$order = order;
      write({ mutant, started: true });
      const start = process.hrtime.bigint();
      await super.runTests(tests, watcher, { serial: true });
      const seconds = Number(process.hrtime.bigint() - start) / 1e9;
      const failed = last.testResults.find(({ status }) => status === 'failed');
      const broken = last.testExecError !== undefined && last.testExecError !== null;
      const by = failed?.fullName ?? (broken ? 'the file does not load' : undefined);
      const message = failed?.failureMessages[0] ?? last.testExecError?.message;
      return {
        order,
        result: { mutant, seconds, killed: by !== undefined, passed: last.numPassingTests, by, message },
      };
    };
    let { original } = orders;
    if (original === undefined) {
      const { order, result } = await run(0);
      original = { ...result, visits: [...order.visits].map(([name, ids]) => [name, [...ids]]) };
      write(original);
    }
    if (original.killed || original.passed === 0) return;
    const visits = original.visits.map(([name, ids]) => [name, new Set(ids)]);
    for (const mutant of orders.mutants) {
      const names = visits.filter(([, ids]) => ids.has(mutant)).map(([name]) => name);
      const whole = names.includes('') || original.seconds < SHORT_SECONDS;
      if (names.length === 0) write({ mutant, killed: false, passed: 0 });
      else write((await run(mutant, whole ? undefined : names)).result);
      if (process.memoryUsage().rss > MOST_MEMORY) return;
    }
  }
};
