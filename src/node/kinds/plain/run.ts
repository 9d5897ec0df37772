import { refusal } from '../../../check/number.ts';
import { RefusedValue } from '../../../check/refusal.ts';
import type { PlainRequest, Protocol, PublicParameters } from '../../../core/contract.ts';
import { seededRandom } from '../../../random/seeded.ts';
import { simulate } from '../../../simulation/runner.ts';
import { measuredMean, rateFit, ratePoints } from '../../../testing/claim.ts';
import type { RunShown } from '../../commands/answer.ts';
import type { Workforce } from '../../jobs/jobs.ts';
import { createProgress } from '../../progress.ts';
import { origin } from '../../run-program.ts';
import type { PlainStudy } from '../../studies.ts';
import type { PlainRunDocument, PlainRunRow } from './result.ts';

/** The values of the options of `ldpkit run` for a protocol on made-up players. */
interface PlainRunOptions {
  readonly players: number;
  readonly repetitions: number;
  readonly seed: string;
}

/** Shares of the players that a run is also played with, to show how the error falls. */
const SHARES = [16, 4, 1];

/**
 * `ldpkit run` of a protocol that makes up its own players: the same players, again and again with other coins, and
 * also a sixteenth and a quarter of them.
 *
 * @throws TypeError or RangeError for everything that the protocol refuses.
 */
export async function runPlain(
  { protocol, trial }: PlainStudy,
  request: PlainRequest,
  { players, repetitions, seed }: PlainRunOptions,
  workforce: Workforce,
): Promise<RunShown | undefined> {
  const whole = protocol as unknown as Protocol<PublicParameters, unknown, unknown, unknown, unknown, undefined>;
  const parameters = protocol.make(request);
  const { about, ...asked } = trial!;
  const names = asked.names(parameters as never);
  const random = seededRandom(`${seed} players`);
  const data = Array.from({ length: players }, (_, index) => {
    random.seek(index);
    return asked.datum(parameters as never, random);
  });
  const progress = createProgress();
  progress.begin(`playing ${protocol.name}`, SHARES.length * repetitions);
  const begun = performance.now();
  const some = (turn: number) => data.slice(0, Math.floor(players / SHARES[turn]));
  const work = await workforce.open({
    play({ turn, repetition }: { readonly turn: number; readonly repetition: number }) {
      const own = some(turn);
      const population = { players: own.length, datum: (index: number) => own[index] };
      const tally = simulate(whole, parameters, population, { seed: `${seed} ${SHARES[turn]} ${repetition}` });
      const estimate = whole.server.estimate(parameters, tally, undefined);
      return numbersOf('found', names, asked.found(parameters as never, estimate as never));
    },
  });
  if (work === undefined) return undefined;
  const truths = SHARES.map((_, turn) => numbersOf('truth', names, asked.truth(parameters as never, some(turn))));
  const found: (readonly number[])[] = [];
  await work.all({
    name: 'play',
    given: SHARES.flatMap((_, turn) => Array.from({ length: repetitions }, (_, repetition) => ({ turn, repetition }))),
    merge: (numbers: readonly number[]) => found.push(numbers),
    onProgress: progress.advance,
  });
  if (!work.whole) return undefined;
  const rows = SHARES.map((_, turn): PlainRunRow => {
    const truth = truths[turn];
    const estimates = found.slice(turn * repetitions, (turn + 1) * repetitions);
    const squared = measuredMean(
      estimates.map((estimate) => estimate.reduce((sum, value, j) => sum + (value - truth[j]) ** 2, 0) / names.length),
    );
    return {
      players: some(turn).length,
      truth,
      estimate: estimates[0],
      bias: truth.map((value, j) => measuredMean(estimates.map((estimate) => estimate[j])).mean - value),
      squared,
      error: Math.sqrt(squared.mean),
      forecast: protocol.theory.forecast?.(parameters, { players: some(turn).length }).error ?? null,
    };
  });
  progress.end();
  const measurable = rows.every(({ squared }) => squared.mean > 0 && squared.error > 0);
  const points = ratePoints(
    rows.map((row) => row.players),
    rows.map(({ squared }) => squared),
  );
  const fit = measurable ? rateFit(points) : undefined;
  const document: PlainRunDocument = {
    protocol: protocol.name,
    ...{ title: 'made-up players', request, about, names },
    guarantee: protocol.theory.guarantee(parameters),
    certificate: protocol.theory.certificate(parameters),
    what: protocol.theory.forecast?.(parameters, { players }).what ?? null,
    rows,
    slope: fit === undefined ? null : { slope: fit.slope, error: fit.error },
    ...{ repetitions, seed },
    seconds: (performance.now() - begun) / 1000,
    ...origin(),
  };
  return { document, result: async () => (await import('./result.ts')).plainResult(document) };
}

/** Numbers of a module, of which one thing is checked: that each has a name. */
function numbersOf(what: string, names: readonly string[], numbers: readonly number[]): readonly number[] {
  if (numbers.length === names.length && numbers.every(Number.isFinite)) return numbers;
  throw new RefusedValue(refusal(`trial.${what}`, `${names.length} finite numbers, one for each name`, numbers));
}
