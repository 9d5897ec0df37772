import { bits, type Random } from '../../src/random/random.ts';
import { tallyReports } from '../unit/core/tally-reports.ts';
import { judge } from './law.ts';
import { mutated, mutationFrom } from './mutation.ts';
import { sameTally, type Trial } from './trial.ts';
import { WRAPPINGS } from './wrapping.ts';

export { seededRandom } from '../../src/random/seeded.ts';
export { trials } from './trial.ts';

const forms = Object.values(WRAPPINGS);

/** What came of a run. */
export interface Run {
  readonly tried: number;
  readonly accepted: number;
  /** What was found first, with the bytes in hexadecimal; absent when nothing was. */
  readonly found?: string;
}

/** As many mutated reports as asked for, of one to three mutations each, without a library between: for millions of them. */
export function run(trial: Trial, reports: number, random: Random): Run {
  const { protocol, parameters, own } = trial;
  let tally = protocol.server.empty(parameters);
  let kept: Uint8Array[] = [];
  let accepted = 0;
  for (let tried = 1; tried <= reports; tried++) {
    let bytes = own[bits(random) % own.length];
    for (let left = 1 + (bits(random) % 3); left > 0; left--) bytes = mutated(bytes, mutationFrom(random), trial);
    const form = bits(random) % 3 === 0 ? bits(random) % forms.length : 0;
    const wrapped = forms[form](bytes);
    const verdict = judge(trial, wrapped);
    if (verdict.complaint !== undefined) {
      return { tried, accepted, found: `${verdict.complaint} (form ${form}): ${Buffer.from(bytes).toString('hex')}` };
    }
    if (verdict.accepted) {
      accepted++;
      protocol.server.add(parameters, tally, protocol.report.decode(parameters, wrapped.given as Uint8Array));
      kept.push(wrapped.bytes as Uint8Array);
    }
    // What was accepted is tallied once more from its bytes, some thousands at a time.
    if (kept.length < 5000 && tried < reports) continue;
    if (!sameTally(tally, tallyReports(protocol, parameters, kept))) {
      return { tried, accepted, found: 'the tally is not that of what was accepted' };
    }
    tally = protocol.server.empty(parameters);
    kept = [];
  }
  return { tried: reports, accepted };
}
