import { RefusedValue } from '../check/refusal.ts';
import type { Auditing, AuditPair, PublicParameters } from '../core/contract.ts';
import type { RoundParameters, RoundsProtocol } from '../core/interactive.ts';
import { uniform } from '../random/random.ts';
import { seededRandom } from '../random/seeded.ts';
import { type AuditTarget, allClaims } from './target.ts';

/** A protocol in rounds, as far as an audit is concerned. */
export type AuditedRounds<Plan extends PublicParameters, Round extends RoundParameters, Datum, Report> = Pick<
  RoundsProtocol<Plan, Round, Datum, Report, never, unknown, never>,
  'name' | 'player' | 'theory' | 'auditing'
>;

/** What one player sends over all rounds: one report for each round that it answers in. */
export interface Transcript<Report> {
  /** Entry r is the report in round r; undefined where another player answered. */
  readonly reports: (Report | undefined)[];
}

/**
 * The player of one round as the target of an audit, against the claims about all rounds of the plan: one round
 * guarantees at least as much.
 * @theorem slides Local Differential Privacy
 */
export function roundTarget<Plan extends PublicParameters, Round extends RoundParameters, Datum, Report>(
  protocol: AuditedRounds<Plan, Round, Datum, Report>,
  plan: Plan,
  round: Round,
): AuditTarget<Round, Datum, Report> {
  const { player, theory } = protocol;
  return { player, parameters: round, claimed: allClaims(theory, plan), auditing: auditingOf(protocol) };
}

/**
 * One player's whole transcript as the target of an audit: its place in the order of players is drawn and public, and
 * it answers in every round that covers that place.
 *
 * Law: the rounds are the given ones, for any report of the player. Its report is one among so many that it does not
 * change them. The composition theorem of the certificate covers later rounds that depend on a report; no attack here
 * uses that.
 * @throws RangeError for a protocol without `auditing`, or without a round.
 * @theorem slides User-level privacy, neighbours
 */
export function transcriptTarget<Plan extends PublicParameters, Round extends RoundParameters, Datum, Report>(
  protocol: AuditedRounds<Plan, Round, Datum, Report>,
  plan: Plan,
  rounds: readonly Round[],
): AuditTarget<Plan, Datum, Transcript<Report>> {
  if (rounds.length === 0) throw new RefusedValue('rounds', 'at least one round', 0);
  const auditing = auditingOf(protocol);
  const places = placesOf(rounds);
  const { player } = protocol;
  // The count of numbers in an answer, round by round: every transcript is shown with the same count.
  const random = seededRandom('widths');
  const widths = rounds.map((round) => {
    const [{ first }] = auditing.pairs(round, random);
    return auditing.view(round, player.randomize(round, first, random)).length;
  });
  return {
    parameters: plan,
    claimed: allClaims(protocol.theory, plan),
    player: {
      randomize(_, datum, random) {
        let rest = uniform(random);
        let place = 0;
        while (place < places.length - 1 && rest >= places[place].weight) rest -= places[place++].weight;
        const { answers } = places[place];
        return {
          reports: rounds.map((round, r) => (answers[r] ? player.randomize(round, datum, random) : undefined)),
        };
      },
    },
    auditing: jointAuditing(auditing, rounds, places, widths),
  };
}

/** A segment of places in the order of players, whose players answer in the same rounds. */
interface Place {
  /** Its share of all places that answer at all. */
  readonly weight: number;
  /** For each round, whether the player answers. */
  readonly answers: readonly boolean[];
}

// As in a simulation: each round takes the next share of the order, and a round that repeats begins at its start again.
function placesOf(rounds: readonly RoundParameters[]): readonly Place[] {
  let until = 0;
  const spans = rounds.map(({ share, repeats }) => {
    const from = repeats ? 0 : until;
    until = from + share;
    return [from, until] as const;
  });
  const ends = [...new Set(spans.flat())].sort((a, b) => a - b);
  const total = ends[ends.length - 1];
  return ends
    .slice(1)
    .map((end, i) => {
      const middle = (ends[i] + end) / 2;
      return { weight: (end - ends[i]) / total, answers: spans.map(([from, to]) => from < middle && middle < to) };
    })
    .filter(({ answers }) => answers.includes(true));
}

/** Outputs at most of a product of channels that is written out. */
const LARGEST_CHANNEL = 2 ** 18;

function jointAuditing<Plan, Round, Datum, Report>(
  auditing: Auditing<Round, Datum, Report>,
  rounds: readonly Round[],
  places: readonly Place[],
  widths: readonly number[],
): Auditing<Plan, Datum, Transcript<Report>> {
  return {
    // The pairs of the last round, and those pairs of other rounds that have another name.
    pairs(_, random) {
      const found = new Map<string, AuditPair<Datum>>();
      for (const round of [...rounds].reverse()) {
        for (const pair of auditing.pairs(round, random)) if (!found.has(pair.name)) found.set(pair.name, pair);
      }
      return [...found.values()];
    },
    // For each round, whether it was answered, and the answer.
    view: (_, { reports }) =>
      reports.flatMap((report, r) =>
        report === undefined
          ? new Array<number>(widths[r] + 1).fill(0)
          : [1, ...Array.from(auditing.view(rounds[r], report))],
      ),
    logLikelihoodRatio(_, pair) {
      const ratios = rounds.map((round) => auditing.logLikelihoodRatio?.(round, pair));
      if (ratios.includes(undefined)) return undefined;
      return ({ reports }) =>
        reports.reduce<number>((sum, report, r) => sum + (report === undefined ? 0 : ratios[r]!(report)), 0);
    },
    channel(_, datum) {
      const channels = rounds.map((round) => auditing.channel?.(round, datum));
      const joint: Float64Array[] = [];
      for (const { weight, answers } of places) {
        let product: Float64Array = Float64Array.of(weight);
        for (let r = 0; r < rounds.length; r++) {
          if (!answers[r]) continue;
          const channel = channels[r];
          if (channel === undefined || product.length * channel.length > LARGEST_CHANNEL) return undefined;
          product = productOf(product, channel);
        }
        joint.push(product);
      }
      return Float64Array.from(joint.flatMap((part) => Array.from(part)));
    },
  };
}

function productOf(first: Float64Array, second: ArrayLike<number>): Float64Array {
  const product = new Float64Array(first.length * second.length);
  for (let i = 0; i < first.length; i++) {
    for (let j = 0; j < second.length; j++) product[i * second.length + j] = first[i] * second[j];
  }
  return product;
}

function auditingOf<Round, Datum, Report>({
  name,
  auditing,
}: {
  readonly name: string;
  readonly auditing?: Auditing<Round, Datum, Report>;
}): Auditing<Round, Datum, Report> {
  if (auditing === undefined) throw new RefusedValue('protocol', 'one that says how to audit it', name);
  return auditing;
}
