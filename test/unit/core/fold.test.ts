import { expect, test } from '@jest/globals';
import { gaussian, hinge } from '../../../protocols/hinge/index.ts';
import { ReportError } from '../../../src/check/refusal.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { records } from '../../protocols/hinge-cases.ts';
import { tallyReports } from './tally-reports.ts';

const parameters = gaussian({ epsilon: 1, delta: 1e-6, degree: 1, dimension: 2 });
const data = records(20, 2, 'fold');

test('tallyReports of the bytes is the tally of the reports', () => {
  const random = seededRandom('fold');
  const reports = data.map((datum) => hinge.player.randomize(parameters, datum, random));
  const tally = hinge.server.empty(parameters);
  for (const report of reports) hinge.server.add(parameters, tally, report);
  const bytes = reports.map((report) => hinge.report.encode(parameters, report));
  expect(tallyReports(hinge, parameters, bytes)).toEqual(tally);
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
