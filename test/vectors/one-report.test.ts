import { describe, expect, test } from '@jest/globals';
import { euclideanMedian, euclideanMedianParameters } from '../../protocols/euclidean-median/index.ts';
import {
  type EuclideanMedianDatum,
  type EuclideanMedianRequest,
  VARIANTS as MEDIAN,
} from '../../protocols/euclidean-median/parameters.ts';
import type { MarginDatum } from '../../protocols/generalized-linear/device.ts';
import { generalizedLinear, generalizedLinearParameters } from '../../protocols/generalized-linear/index.ts';
import { type GeneralizedLinearRequest, VARIANTS as LINEAR } from '../../protocols/generalized-linear/parameters.ts';
import { type HingeRequest, hinge, hingeParameters } from '../../protocols/hinge/index.ts';
import { VARIANTS as HINGE } from '../../protocols/hinge/parameters.ts';
import type { Protocol, PublicParameters } from '../../src/core/contract.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { difference } from '../../src/testing/contract/law.ts';
import { recorded } from './frozen.ts';

/** One round of a protocol as it was recorded. */
interface FrozenRound<Request, Datum> {
  readonly request: Request;
  /** Digest of the parameters. */
  readonly digest: string;
  /** The datum that is reported with the coins of seed `frozen`. */
  readonly datum: Datum;
  /** That report's bytes, in hexadecimal. */
  readonly report: string;
  /** What fifty reports say under the default query: the numbers of these fields. */
  readonly estimate: { readonly [field: string]: number | readonly number[] };
}

/** A point of the unit ball on a coarse grid, so that no rounding is in it: that of player i of a round. */
function coarsePoint(i: number, dimension: number): number[] {
  return Array.from({ length: dimension }, (_, j) => (((i * (j + 3) * 37) % 101) - 50) / (60 * Math.sqrt(dimension)));
}

/** Player i of a round of records. */
function coarseRecord(i: number, dimension: number): { features: number[]; label: number } {
  const features = coarsePoint(i, dimension);
  return { features, label: features[0] > 0 ? 1 : -1 };
}

/** Plays a round again: the report to the bit, the estimate to a tolerance. */
function expectRound<Parameters extends PublicParameters, Datum, Report, Tally, Estimate extends object>(
  { player, report: wire, server }: Protocol<Parameters, Datum, Report, Tally, Estimate, never>,
  parameters: Parameters,
  { digest, datum, report, estimate }: FrozenRound<unknown, Datum>,
  datumOf: (i: number) => Datum,
  tolerance: number,
): void {
  expect(parameters.digest).toBe(digest);
  const bytes = wire.encode(parameters, player.randomize(parameters, datum, seededRandom('frozen')));
  expect(Buffer.from(bytes).toString('hex')).toBe(report);

  const tally = server.empty(parameters);
  const root = seededRandom('frozen round');
  for (let i = 0; i < 50; i++) {
    root.seek(i);
    server.add(parameters, tally, player.randomize(parameters, datumOf(i), root));
  }
  const found = server.estimate(parameters, tally) as { readonly [field: string]: number | ArrayLike<number> };
  const numbers = (value: number | ArrayLike<number>): number[] =>
    typeof value === 'number' ? [value] : Array.from(value);
  const fields = Object.keys(estimate);
  const { risk, standardError } = estimate;
  const apart = Math.max(
    difference(
      [...numbers(found.risk), ...numbers(found.standardError)],
      [...numbers(risk), ...numbers(standardError)],
    ),
    ...fields
      .filter((field) => field !== 'risk' && field !== 'standardError')
      .map((field) => difference(numbers(found[field]), numbers(estimate[field]))),
  );
  const now = Object.fromEntries(
    fields.map((field) => [field, typeof found[field] === 'number' ? found[field] : numbers(found[field])]),
  );
  // Only where they are apart: all the numbers, so that they can be recorded again.
  expect(apart < tolerance ? estimate : now).toEqual(estimate);
}

/** Whether the recorded rounds have every variant. */
function expectAll(
  rounds: readonly FrozenRound<{ readonly variant?: string }, unknown>[],
  all: readonly string[],
): void {
  expect([...new Set(rounds.map(({ request }) => request.variant))].sort()).toEqual([...all].sort());
}

describe('hinge', () => {
  const rounds = recorded<FrozenRound<HingeRequest, MarginDatum>>('hinge');

  test.each(rounds)('the report and the round of $request', (round) => {
    const { request } = round;
    expectRound(hinge, hingeParameters(request), round, (i) => coarseRecord(i, request.dimension), 1e-9);
  });

  test('every variant is among the frozen rounds', () => expectAll(rounds, HINGE));
});

describe('generalized-linear', () => {
  const rounds = recorded<FrozenRound<GeneralizedLinearRequest, MarginDatum>>('generalized-linear');

  test.each(rounds)('the report and the round of $request', (round) => {
    const { request } = round;
    const datum = (i: number) => coarseRecord(i, request.dimension);
    expectRound(generalizedLinear, generalizedLinearParameters(request), round, datum, 1e-9);
  });

  test('every variant is among the frozen rounds', () => expectAll(rounds, LINEAR));
});

describe('euclidean-median', () => {
  const rounds = recorded<FrozenRound<EuclideanMedianRequest, EuclideanMedianDatum>>('euclidean-median');

  test.each(rounds)('the report and the round of $request', (round) => {
    const { request } = round;
    const datum = (i: number) => ({ point: coarsePoint(i, request.dimension) });
    expectRound(euclideanMedian, euclideanMedianParameters(request), round, datum, 1e-6);
  });

  test('every variant is among the frozen rounds', () => expectAll(rounds, MEDIAN));
});
