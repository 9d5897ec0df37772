import { type Json, type Random, seededRandom } from 'ldpkit';
import { normal, uniform } from 'ldpkit/mechanism';
import { isVector, printed, twoRound, userLevelMean } from 'ldpkit/protocols/user-level-mean';
import type { Sweep } from '../../experiment/experiment.ts';

const { abs, floor, log, max, min, round, sinh, sqrt } = Math;

/** Trials of a first round. */
export interface PilotSetting {
  readonly [name: string]: Json;
  readonly scheme: 'printed' | 'pair';
  readonly epsilon: number;
  readonly players: number;
  readonly trials: number;
}

/** How many of them found the mean. */
export interface PilotChunk {
  readonly [name: string]: Json;
  readonly found: number;
  readonly trials: number;
}

export const BINS: number = 16;
const WIDTH = 2 / BINS;
/** Local means deviate by so much of a bin. */
const DEVIATION = 0.25;
export const EPSILONS: readonly number[] = [0.25, 0.5, 1];
/** Players in units of 1/(4·sinh²(ε/2)), what randomized response of two values makes of a player: about 1/ε². */
export const UNITS: readonly number[] = [16, 32, 64, 128];
const TRIALS = 400;

const playersAt = (epsilon: number, units: number): number => round(units / (4 * sinh(epsilon / 2) ** 2));

export const SWEEPS: readonly Sweep<PilotSetting>[] = EPSILONS.map((epsilon) => ({
  key: `epsilon-${epsilon * 100}`,
  variable: 'players n',
  xs: UNITS.map((units) => playersAt(epsilon, units)),
  setting: (players, _, scale) => ({ scheme: 'pair', epsilon, players, trials: TRIALS * (scale === 'full' ? 10 : 1) }),
}));

/** The printed rounds: ε, with ε′ = ε/(4√ln(3/δ)) = ε/9.55, four bins, and players in units of 1/ε′². */
export const PRINTED_EPSILONS: readonly number[] = [1, 2, 4];
export const DELTA: number = 0.01;
export const PRINTED_BINS: number = 4;
const PRINTED_UNITS = [1, 3, 9, 27];
const PRINTED_TRIALS = 800;
const PRINTED_SPREAD = 0.3;

export const PRINTED: readonly Sweep<PilotSetting>[] = PRINTED_EPSILONS.map((epsilon) => ({
  key: `printed-${epsilon}`,
  variable: 'players n',
  xs: PRINTED_UNITS.map((units) => round((units * 16 * log(3 / DELTA)) / epsilon ** 2)),
  setting: (players, _, scale) => ({
    ...{ scheme: 'printed', epsilon, players, trials: PRINTED_TRIALS * (scale === 'full' ? 10 : 1) },
  }),
}));

/** What is played of one scheme, where means are, how far local means are from it, and whether the mean was found. */
interface Pilot {
  readonly plan: ReturnType<typeof twoRound> | ReturnType<typeof printed>;
  readonly deviation: number;
  draw(random: Random): number;
  /** Whether the interval that round 2 would project on holds the mean. */
  finds(interval: { readonly lower: number; readonly upper: number }, mean: number): boolean;
}

function pilotOf({ scheme, epsilon, players }: PilotSetting): Pilot {
  if (scheme === 'pair') {
    const plan = pairPlan(epsilon, players);
    const half = WIDTH / 2 + plan.range;
    return {
      plan,
      deviation: DEVIATION * WIDTH,
      draw: (random) => 1.6 * (uniform(random) - 0.5),
      // The edge between the two bins is the middle of the interval, of which an end may be cut off at ±B.
      finds: ({ lower, upper }, mean) => abs((lower > -1 ? lower + half : upper - half) - mean) <= WIDTH,
    };
  }
  // As many samples as make the printed width, 2B√(2·ln(2n/ξ)/m), a fourth of [−B, B] at ξ = .05.
  const samples = floor(PRINTED_BINS ** 2 * 2 * log(40 * players));
  return {
    plan: printed({ epsilon, delta: DELTA, players, samples }),
    deviation: PRINTED_SPREAD / sqrt(samples),
    // In the middle half of a bin: all local means are in it, the case that is best for the printed rounds.
    draw: (random) => (2 * (floor(PRINTED_BINS * uniform(random)) + 0.25 + 0.5 * uniform(random))) / PRINTED_BINS - 1,
    finds: ({ lower, upper }, mean) => lower <= mean && mean <= upper,
  };
}

/** A plan whose round 1 has as many bins as here: four deviations of a local mean are one. */
export function pairPlan(epsilon: number, players: number) {
  const plan = twoRound({ epsilon, players, samples: 1, spread: WIDTH / 4 });
  if (isVector(plan) || plan.pilot.mechanism.categories !== BINS) throw new RangeError(`"plan" expected ${BINS} bins`);
  return plan;
}

/** How often the first round finds the mean. */
export function pilotChunk(setting: PilotSetting, index: number, seed: string): PilotChunk {
  const { scheme, epsilon, players, trials } = setting;
  const { plan, deviation, draw, finds } = pilotOf(setting);
  const { player, rounds, server } = userLevelMean;
  const round = rounds.first(plan);
  const datum = { samples: new Float64Array(1) };
  const random = seededRandom(`${seed} ${scheme} ${epsilon} ${players}`);
  const report = player.randomize(round, datum, random);
  let found = 0;
  for (let trial = 0; trial < trials; trial++) {
    random.seek(index * trials + trial);
    const mean = draw(random);
    const tally = server.empty(round);
    for (let i = 0; i < players; i++) {
      datum.samples[0] = max(-1, min(1, mean + deviation * normal(random)));
      player.randomizeInto(round, datum, random, report);
      server.add(round, tally, report);
    }
    const next = rounds.next(plan, [{ round, tally }]);
    if (next !== undefined && !isVector(next) && finds(next.question, mean)) found++;
  }
  return { found, trials };
}
