import { type AuditedPart, allClaims } from '../../audit/target.ts';
import { roundTarget, transcriptTarget } from '../../audit/transcript.ts';
import { RefusedValue } from '../../check/refusal.ts';
import type { PublicParameters as Plan } from '../../core/contract.ts';
import type { RoundParameters } from '../../core/interactive.ts';
import type { AnyOneShot, AnyRounds, AnyStream } from '../../core/open.ts';
import type { Random } from '../../random/random.ts';
import { seededRandom } from '../../random/seeded.ts';
import { conduct, referenceRounds, simulate, stepByStep } from '../../simulation/runner.ts';
import type { AnyProtocol, AnyTarget } from '../study.ts';

/** What a protocol of any kind estimates from made-up players: in a stream they come in the order of their data. */
export function estimateOf(protocol: AnyProtocol, parameters: Plan, data: readonly unknown[], seed: string): unknown {
  const population = { players: data.length, datum: (index: number) => data[index] };
  if ('rounds' in protocol) return conduct(protocol as unknown as AnyRounds, parameters, population, { seed }).estimate;
  if ('accept' in protocol.server) {
    const stream = protocol as unknown as AnyStream;
    const state = stream.server.start(parameters);
    play(stream, parameters, state, data, seededRandom(seed));
    return stream.server.estimate(parameters, state, undefined);
  }
  const oneShot = protocol as unknown as AnyOneShot;
  return oneShot.server.estimate(parameters, simulate(oneShot, parameters, population, { seed }), undefined);
}

function play(stream: AnyStream, plan: Plan, state: unknown, data: readonly unknown[], random: Random): void {
  let at = 0;
  (stream.simulate ?? stepByStep(stream))(plan, state, data.length, () => data[at++], random);
}

/** How many made-up players answer before the attack, where what a player is asked depends on those before it. */
const BEFORE = 20_000;

/** A protocol of any kind, whose types do not matter. */
type Named = Pick<AnyProtocol, 'name'>;

/** The datum of a made-up player, from its own coins. */
type Draw = (random: Random) => unknown;

/** The made-up players who answer before the attack; by default as many as help, with the data of pairs. */
interface Before {
  readonly players?: number;
  readonly draw?: Draw | undefined;
}

function roundsOf(protocol: AnyRounds, plan: Plan, { players = BEFORE, draw }: Before): readonly RoundParameters[] {
  return referenceRounds(protocol, plan, players, draw ?? drawOfPairs(protocol, protocol.rounds.first(plan)));
}

function drawOfPairs({ auditing }: Pick<AnyProtocol, 'auditing'>, asked: unknown): Draw {
  const pairs = auditing!.pairs(asked as Plan, seededRandom('pairs'));
  let turn = 0;
  return () => {
    const { first, second } = pairs[turn++ % pairs.length];
    return turn % 2 === 0 ? first : second;
  };
}

/** The parts of a protocol in rounds that can be attacked: each round, and all that one player sends. */
export function roundsParts(protocol: Named, plan: Plan, before: Before): readonly AuditedPart[] {
  return [...roundsOf(protocol as unknown as AnyRounds, plan, before).keys(), 'transcript'];
}

/** The player of a round, or of all rounds, after the answers of made-up players. */
export function roundsTarget(protocol: Named, plan: Plan, part: AuditedPart, before: Before): AnyTarget {
  const audited = protocol as unknown as AnyRounds;
  const rounds = roundsOf(audited, plan, before);
  const target =
    part === 'transcript' ? transcriptTarget(audited, plan, rounds) : roundTarget(audited, plan, rounds[part]);
  return target as unknown as AnyTarget;
}

/** The player of a step, after a thousand made-up players. */
export function stepTarget(protocol: AnyProtocol, plan: Plan, { draw }: Before): AnyTarget {
  const stream = protocol as unknown as AnyStream;
  const { server } = stream;
  const state = server.start(plan);
  const random = seededRandom('reference');
  const drawn = draw ?? drawOfPairs(protocol, server.step(plan, state));
  const data = Array.from({ length: BEFORE / 20 }, (_, index) => {
    random.seek(index);
    return drawn(random);
  });
  play(stream, plan, state, data, seededRandom('reference coins'));
  return reportTarget(protocol, plan, structuredClone(server.step(plan, state)));
}

/** The player of one report, or of a step of a plan; refused where nothing tells how to attack it. */
export function reportTarget(protocol: Named, plan: Plan, parameters: unknown = plan): AnyTarget {
  const { name, player, theory, auditing } = protocol as AnyProtocol;
  if (auditing === undefined) throw new RefusedValue('protocol', 'one that says how to audit it', name);
  return { player, auditing, parameters, claimed: allClaims(theory, plan) } as unknown as AnyTarget;
}
