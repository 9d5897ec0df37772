import { expect, test } from '@jest/globals';
import { gaussian, hinge } from '../../../protocols/hinge/index.ts';
import { ReportError } from '../../../src/check/report-error.ts';
import { collect } from '../../../src/core/collector.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { records } from '../../protocols/hinge-cases.ts';
import { tallyReports } from './tally-reports.ts';

const parameters = gaussian({ epsilon: 1, delta: 1e-6, degree: 1, dimension: 2 });
const data = records(20, 2, 'fold');

test('collect is randomize and add, datum by datum, with one source of coins', () => {
  const random = seededRandom('fold');
  const tally = hinge.server.empty(parameters);
  for (const datum of data) hinge.server.add(parameters, tally, hinge.player.randomize(parameters, datum, random));
  expect(collect(hinge, parameters, data, seededRandom('fold'))).toEqual(tally);
});

test('the way over the wire changes nothing, bit for bit', () => {
  const [near, far] = [false, true].map((wire) => collect(hinge, parameters, data, seededRandom('fold'), { wire }));
  expect(far).toEqual(near);
});

test('collect takes any iterable once, and an empty one gives the empty tally', () => {
  function* some() {
    yield* data;
  }
  expect(collect(hinge, parameters, some(), seededRandom(1))).toEqual(
    collect(hinge, parameters, data, seededRandom(1)),
  );
  expect(collect(hinge, parameters, [], seededRandom(1))).toEqual(hinge.server.empty(parameters));
});

test('tallyReports of the bytes is the tally of the reports', () => {
  const random = seededRandom('fold');
  const bytes = data.map((datum) => hinge.report.encode(parameters, hinge.player.randomize(parameters, datum, random)));
  expect(tallyReports(hinge, parameters, bytes)).toEqual(collect(hinge, parameters, data, seededRandom('fold')));
});

test('tallyReports throws at the first report that cannot be, and reads no further', () => {
  const good = hinge.report.encode(parameters, hinge.player.randomize(parameters, data[0], seededRandom(1)));
  let read = 0;
  function* bytes() {
    for (const report of [good, good, good.slice(1), good]) {
      read++;
      yield report;
    }
  }
  expect(() => tallyReports(hinge, parameters, bytes())).toThrow(ReportError);
  expect(read).toBe(3);
});

test('a datum outside the domain stops collect', () => {
  expect(() => collect(hinge, parameters, [{ features: [2, 0], label: 1 }], seededRandom(1))).toThrow(
    '"features" expected finite numbers with an l2 norm of at most 1',
  );
});
