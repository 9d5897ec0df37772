import { expect, test } from '@jest/globals';
import { frequency } from '../../protocols/frequency/index.ts';
import { mean } from '../../protocols/mean/index.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { recorded } from './frozen.ts';

/** One frozen round of a simple statistic: fifty players with the same datum. */
interface SurveyRound {
  readonly name: 'frequency' | 'mean';
  readonly request: object;
  readonly digest: string;
  readonly datum: unknown;
  /** The bytes of its report with the coins of seed `frozen`, in hexadecimal. */
  readonly report: string;
  readonly estimate: { readonly [field: string]: readonly number[] };
}

test.each(recorded<SurveyRound>('surveys'))(
  'the report and the round of $name, $request',
  ({ name, request, digest, datum, report, estimate }) => {
    const protocol = name === 'mean' ? mean : frequency;
    const parameters = protocol.make(request as never) as never;
    expect(protocol.make(request as never).digest).toBe(digest);
    const bytes = protocol.report.encode(
      parameters,
      protocol.player.randomize(parameters, datum as never, seededRandom('frozen')),
    );
    expect(Buffer.from(bytes).toString('hex')).toBe(report);
    const tally = protocol.server.empty(parameters) as never;
    const random = seededRandom('frozen round');
    for (let i = 0; i < 50; i++) {
      protocol.server.add(parameters, tally, protocol.player.randomize(parameters, datum as never, random));
    }
    const found = protocol.server.estimate(parameters, tally) as never as { readonly [field: string]: Float64Array };
    // Frozen when the mean was not yet projected on the bounds.
    const fieldOf = (field: string): string => (name === 'mean' && field === 'mean' ? 'unbiased' : field);
    const now = Object.fromEntries(Object.keys(estimate).map((field) => [field, Array.from(found[fieldOf(field)])]));
    const close = Object.entries(estimate).map(([field, numbers]) => [
      field,
      numbers.map((one) => expect.closeTo(one, 9)),
    ]);
    expect(now).toEqual(Object.fromEntries(close));
  },
);
