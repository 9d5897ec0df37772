// What the files of all new protocols have in common, with NAME and PROTOCOL in the place of the name.

/** The beginning of a definition. */
export const BEGINNING: string = `/** The protocol, given the coin of its bits; broken.mjs gives it a wrong one, which the audit must notice. */
export function definition(name, coinOf) {
  return {
    name,
    version: 1,
`;

/** The end of the file of a protocol, after its definition: how it is defined, and how the command line tries it. */
export function endOf(define: string, request: string, trial: string): string {
  return `/** The protocol. */
export const PROTOCOL = ${define}(definition('NAME', coin));

/** What the command line tries it with; --request takes the place of this request. */
export const study = {
  kind: 'plain',
  protocol: PROTOCOL,
  request: ${request},
  trial: {
${trial}
  },
};

export default PROTOCOL;
`;
}

/** What players hold in rounds and in the stream. */
const UNIT_NUMBER = `    datum: {
      expected: 'a number from 0 to 1',
      accepts: (_, value) => typeof value === 'number' && value >= 0 && value <= 1,
      clip: (_, value) => max(0, clipNumber(value, 1)),
    },
`;

/** A protocol in two rounds, as `ldpkit new --kind rounds` writes it. */
export const ROUNDS_FILE: string = `// The mean of numbers in [0, 1] that lie close together, in two rounds: a pilot group says in which of a few cells its
// number is, the others send one bit about where theirs is in the three cells around the most frequent one.
import { checkInteger, checkPositive, defineRounds } from 'ldpkit';
import { COIN_UNITS, clipNumber, exactCoin, randomizedResponse, randomizeResponse, twoLevels, uniform } from 'ldpkit/mechanism';
import { pure } from 'ldpkit/privacy';

const { floor, max, min, round: nearest, sqrt } = Math;

/** How often each cell or bit is reported, over 2^53. */
export const coin = (epsilon) => twoLevels(epsilon, 1, 1).keep;

/** The bit of the second round is 1 with a probability from 1 - p at the low end to p at the high end. */
function ones({ keep, asked: { low, high } }, datum) {
  const place = min(1, max(0, (datum - low) / (high - low)));
  return COIN_UNITS - keep + floor((2 * keep - COIN_UNITS) * place);
}

/** The cell of a number in the first round. */
const cellOf = ({ cells }, datum) => min(cells - 1, floor(datum * cells));

${BEGINNING}    // 1. The plan: what everybody must know before the first round, from the request alone.
    make(request) {
      const epsilon = checkPositive('epsilon', request.epsilon);
      const cells = checkInteger('cells', request.cells ?? 16, 4, 1024);
      return { epsilon, cells, keep: coinOf(epsilon) };
    },
    // 2. From round to round. What "first" and "next" return is the field "asked" of a round, plain data.
    rounds: {
      count: () => 2,
      share: (_, round) => (round === 0 ? 0.25 : 0.75),
      first: () => ({ low: 0, high: 1 }),
      next({ cells, epsilon }, [{ tally }]) {
        const { hit, stray } = randomizedResponse({ epsilon, categories: cells });
        const found = Array.from(tally.sums.counts, (count) => (count - tally.players * stray) / (hit - stray));
        const cell = found.indexOf(max(...found));
        return { low: max(0, cell - 1) / cells, high: min(cells, cell + 2) / cells };
      },
      // What a device believes: whatever "next" can return, and nothing else.
      accepts({ cells }, _, { low, high }) {
        const [from, to] = [nearest(low * cells), nearest(high * cells)];
        return low === from / cells && high === to / cells && from >= 0 && to <= cells && to - from >= 2 && to - from <= 3;
      },
    },
    // 3. What a player may hold, and what a device makes of anything else: it refuses nothing.
${UNIT_NUMBER}    // 4. What travels: a cell, or a bit.
    report: {
      values: 'uint32',
      length: () => 1,
      accepts: ({ round, cells }, [value]) => value < (round === 0 ? cells : 2),
    },
    // 5. The channel of a round, drawn exactly. It knows the fields of the plan, "round" and "asked".
    channel: {
      deployment(round, datum, random, report) {
        const { epsilon, cells } = round;
        report[0] =
          round.round === 0
            ? randomizeResponse(randomizedResponse({ epsilon, categories: cells }), cellOf(round, datum), random)
            : Number(exactCoin(ones(round, datum), random));
      },
    },
    // 6. What the server keeps of a round: sums.
    tally: {
      sums: ({ round, cells }) => ({ counts: round === 0 ? cells : 2 }),
      add(_, { counts }, [value]) {
        counts[value]++;
      },
    },
    // 7. The estimate after the last round.
    estimate({ keep }, [pilot, { round, tally }]) {
      const { low, high } = round.asked;
      const p = keep / COIN_UNITS;
      const mean = low + ((high - low) * (tally.sums.counts[1] / tally.players - (1 - p))) / (2 * p - 1);
      return { players: pilot.tally.players + tally.players, mean };
    },
    // 8. The claim about everything that one player sends: here it answers in one of the rounds.
    privacy: {
      guarantee: ({ epsilon }) => pure(epsilon),
      releases: ({ epsilon }) => [
        { what: 'a cell or a bit', count: 1, mechanism: 'randomized response', sensitivity: 1, scale: 1 / epsilon, guarantee: pure(epsilon) },
      ],
      neighbourDistance: () => 1,
    },
    // 9. What an attacker knows of a round: a worst pair of data, and the probabilities of all reports.
    audit: {
      pairs: () => [{ name: 'ends', first: 0, second: 1 }],
      channel(round, datum) {
        const { epsilon, cells } = round;
        if (round.round === 1) return [1 - ones(round, datum) / COIN_UNITS, ones(round, datum) / COIN_UNITS];
        const { hit, stray } = randomizedResponse({ epsilon, categories: cells });
        return Array.from({ length: cells }, (_, cell) => (cell === cellOf(round, datum) ? hit : stray));
      },
    },
    // 10. What to expect: the noise of the bits of three quarters of the players, in three cells.
    forecast({ cells, keep }, { players }) {
      const error = (3 / cells) * (sqrt(1 / (3 * players)) / (2 * (keep / COIN_UNITS) - 1));
      return { what: 'standard error of the mean', assumption: 'all numbers in one cell', error, floor: 0 };
    },
  };
}

${endOf(
  'defineRounds',
  "{ epsilon: 2, cells: 8, grade: 'deployment' }",
  `    about: 'numbers between 0.4 and 0.45',
    names: () => ['mean'],
    datum: (_, random) => 0.4 + 0.05 * uniform(random),
    truth: (_, data) => [data.reduce((sum, datum) => sum + datum, 0) / data.length],
    found: (_, estimate) => [estimate.mean],`,
)}`;

/** How its devices and a collector are tried: the end of its tests. */
export const ROUNDS_COLLECTION: string = `test('devices and a collector find the mean', () => {
  const survey = open(PROTOCOL, request);
  const collector = survey.collector();
  const random = seededRandom('a collection');
  const players = 4000;
  for (let i = 0; i < players; i++) {
    if (i === players / 4) collector.close();
    // As it travels: a device makes the round again from its own plan.
    const received = JSON.parse(JSON.stringify(collector.round));
    collector.receive(survey.device({ random }).report(received, 0.4 + 0.05 * ((i % 11) / 10)), i);
  }
  collector.close();
  // Off by more than five standard errors for one seed in a million; the seed is fixed.
  const { error } = survey.forecast({ players });
  assert.ok(Math.abs(collector.estimate().mean - 0.425) < 5 * error);
  // The control: another mean is not met.
  assert.ok(Math.abs(collector.estimate().mean - 0.6) > 5 * error);
});`;

/** A stream, as `ldpkit new --kind stream` writes it. */
export const STREAM_FILE: string = `// A quantile of numbers in [0, 1]: players come one after the other, and each says with one randomized bit whether its number
// is below the current guess. After each block the server moves the guess and publishes it.
import { checkInteger, checkOpenUnit, checkPositive, defineStream } from 'ldpkit';
import { COIN_UNITS, clipNumber, exactCoin, twoLevels, uniform } from 'ldpkit/mechanism';
import { pure } from 'ldpkit/privacy';

const { log, max, min, sqrt } = Math;

/** How often a bit is kept, over 2^53. */
export const coin = (epsilon) => twoLevels(epsilon, 1, 1).keep;

${BEGINNING}    // 1. The plan: what everybody must know, from the request alone.
    make(request) {
      const epsilon = checkPositive('epsilon', request.epsilon);
      const level = checkOpenUnit('level', request.level ?? 0.5);
      const block = checkInteger('block', request.block ?? 20, 1, 1e6);
      return { epsilon, level, block, keep: coinOf(epsilon) };
    },
    // 2. From step to step: where the iterate begins, how many reports a step takes, and how it moves after them.
    steps: {
      start: () => [0.5],
      block: ({ block }) => block,
      move({ level, block, keep }, { steps, iterate, sums }) {
        const p = keep / COIN_UNITS;
        const below = (sums.ones[0] / block - (1 - p)) / (2 * p - 1);
        iterate[0] = min(1, max(0, iterate[0] + (level - below) / steps ** 0.67));
        sums.ones[0] = 0;
        sums.path[0] += iterate[0];
      },
      // What a device believes: whatever the iterate can become.
      accepts: (_, [guess]) => guess >= 0 && guess <= 1,
    },
    // 3. What a player may hold, and what a device makes of anything else: it refuses nothing.
${UNIT_NUMBER}    // 4. What travels besides the number of the step.
    report: { values: 'uint32', length: () => 1, accepts: (_, [bit]) => bit < 2 },
    // 5. The channel of a step, drawn exactly. It knows the fields of the plan and "iterate".
    channel: {
      deployment({ keep, iterate }, datum, random, report) {
        report[0] = exactCoin(keep, random) === datum <= iterate[0] ? 1 : 0;
      },
    },
    // 6. What the server sums, report after report; "move" may change the sums.
    tally: {
      sums: () => ({ ones: 1, path: 1 }),
      add(_, { ones }, [bit]) {
        ones[0] += bit;
      },
    },
    // 7. The estimate at any moment: the mean of the path.
    estimate: (_, { players, steps, iterate, sums }) => ({ players, quantile: steps === 0 ? iterate[0] : sums.path[0] / steps }),
    // 8. The claim about one report.
    privacy: {
      guarantee: ({ epsilon }) => pure(epsilon),
      releases: ({ epsilon }) => [
        { what: 'a bit', count: 1, mechanism: 'randomized response', sensitivity: 1, scale: 1 / epsilon, guarantee: pure(epsilon) },
      ],
      neighbourDistance: () => 1,
    },
    // 9. What an attacker knows of a step: a worst pair of data, and how much likelier a report is under the first of them.
    audit: {
      pairs: () => [{ name: 'ends', first: 0, second: 1 }],
      logLikelihoodRatio({ keep, iterate }, { first, second }) {
        const apart = (first <= iterate[0]) - (second <= iterate[0]);
        return ([bit]) => apart * (2 * bit - 1) * log(keep / (COIN_UNITS - keep));
      },
    },
    // 10. What to expect: the noise of a bit, where the numbers are uniform.
    forecast({ level, keep }, { players }) {
      const p = keep / COIN_UNITS;
      const variance = level * (1 - level) + (p * (1 - p)) / (2 * p - 1) ** 2;
      return { what: 'standard error of the quantile', assumption: 'numbers uniform on [0, 1]', error: sqrt(variance / players), floor: 0 };
    },
  };
}

${endOf(
  'defineStream',
  "{ epsilon: 2, block: 5, grade: 'deployment' }",
  `    about: 'numbers uniform on [0, 1]',
    names: () => ['median'],
    datum: (_, random) => uniform(random),
    truth: () => [0.5],
    found: (_, estimate) => [estimate.quantile],`,
)}`;

/** How its devices and a collector are tried: the end of its tests. */
export const STREAM_COLLECTION: string = `test('devices and a collector find the median', () => {
  const survey = open(PROTOCOL, request);
  const collector = survey.collector();
  const random = seededRandom('a collection');
  const players = 4000;
  for (let i = 0; i < players; i++) {
    // As it travels: the number of the step and the iterate, as a list. A device has its own plan.
    const { plan, index, iterate } = collector.step();
    const received = JSON.parse(JSON.stringify({ plan: { digest: plan.digest }, index, iterate: Array.from(iterate) }));
    collector.receive(survey.device({ random }).report(received, (i * 0.618033988) % 1), i);
  }
  // Off by more than six standard errors for one seed in a million, with room for the first steps; the seed is fixed.
  const { error } = survey.forecast({ players });
  assert.ok(Math.abs(collector.estimate().quantile - 0.5) < 6 * error);
  // The control: another quantile is not met.
  assert.ok(Math.abs(collector.estimate().quantile - 0.7) > 6 * error);
});`;
