import { checkOpenUnit } from '../check/number.ts';
import { approximate, checkGuarantee, type Guarantee, gdp, pure, zcdp } from './guarantee.ts';
import { implies, readAt } from './implication.ts';
import { type CertifiedRelease, checkRelease, checkText, type Release } from './release.ts';
import { type Accounting, addUp, type Silence, type Sums, type Total } from './totals.ts';

const { max } = Math;

/** The accountings that several alternatives can share. */
const SHARED: readonly Accounting[] = ['pure', 'basic', 'gdp', 'zcdp', 'numeric'];

const RULE = 'a player sends one of the releases: the weakest of them (McSherry 2009, Theorem 4)';

/**
 * The totals where a player sends *one* of the releases, as with fresh players in every round: under each accounting the weakest
 * of what the releases guarantee, and nothing where one of them has no such guarantee.
 *
 * Source: McSherry (2009), Privacy integrated queries, Theorem 4 (parallel composition).
 */
function weakestOf(releases: readonly CertifiedRelease[], delta: number | undefined): Sums {
  const alone = releases.map((release) => addUp([release], delta));
  const sums: Sums = { lines: [], silent: [] };
  for (const accounting of SHARED) {
    const parts = alone.map(({ lines }) => lines.find((line) => line.accounting === accounting)?.guarantee);
    const present = parts.filter((part) => part !== undefined);
    if (present.length === parts.length) {
      sums.lines.push({ accounting, guarantee: weakest(present), theorem: RULE });
    } else if (accounting !== 'numeric') {
      const reason = alone.flatMap(({ silent }) => silent).find((silence) => silence.accounting === accounting)?.reason;
      sums.silent.push({ accounting, reason: reason ?? 'not every release has it' });
    }
  }
  return sums;
}

/** The weakest of guarantees of one kind, or of pure and (ε, δ) ones. */
function weakest(parts: readonly Guarantee[]): Guarantee {
  const first = parts[0];
  if (first.kind === 'gdp') return gdp(largest(parts, (part) => (part.kind === 'gdp' ? part.mu : Infinity)));
  if (first.kind === 'zcdp') return zcdp(largest(parts, (part) => (part.kind === 'zcdp' ? part.rho : Infinity)));
  const epsilon = largest(parts, (part) => ('epsilon' in part ? part.epsilon : Infinity));
  const delta = largest(parts, (part) => ('delta' in part ? part.delta : 0));
  return delta === 0 ? pure(epsilon) : approximate({ epsilon, delta });
}

function largest(parts: readonly Guarantee[], value: (part: Guarantee) => number): number {
  return max(...parts.map(value));
}

/** What one player's whole transcript guarantees, as plain data that survives JSON. */
export interface Certificate {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** The variant of its parameters. */
  readonly variant: string;
  /** Which pairs of inputs must be hard to tell apart. */
  readonly neighbouring: 'replace-one: any two data of one player';
  /** Everything the player sends. */
  readonly releases: readonly CertifiedRelease[];
  /** Present where a player sends one of the releases only, as with fresh players in every round. */
  readonly alternatives?: true;
  /** What is claimed for the whole, where something is. */
  readonly claimed?: Guarantee;
  /** The δ at which every total is also read as an ε, where there is one. */
  readonly reportDelta?: number;
  /** One line for every accounting that applies. Each is true; the least ε (or `withinClaim`) may be relied on. */
  readonly totals: readonly Total[];
  /** The accountings that do not apply. */
  readonly silent: readonly Silence[];
}

/** What a certificate is made from. */
export interface CertificateInput {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** The variant of its parameters. */
  readonly variant: string;
  /** Everything one player sends, over all rounds. */
  readonly releases: readonly Release[];
  /** Whether a player sends one of the releases only; otherwise all of them. */
  readonly alternatives?: boolean;
  /** What the paper, or the variant, claims for the whole transcript. */
  readonly claimed?: Guarantee;
  /** The δ at which totals are reported as an ε; that of an (ε, δ) claim when left out. */
  readonly reportDelta?: number;
}

/**
 * The certificate of one player's whole transcript: all copies, all rounds, every accounting that applies, each checked
 * against the claim. Releases are taken as computed on the same datum, so they add up; nothing is assumed to cancel.
 *
 * @throws TypeError or RangeError for no releases, a count below 1, or a number that is not finite and > 0.
 */
export function certificate(input: CertificateInput): Certificate {
  if (input.releases.length === 0) throw new RangeError('"releases" expected at least one release, got none');
  const releases = input.releases.map((release, i) => checkRelease(`releases[${i}]`, release));
  const claimed = input.claimed === undefined ? undefined : checkGuarantee('claimed', input.claimed);
  const delta =
    input.reportDelta !== undefined
      ? checkOpenUnit('reportDelta', input.reportDelta)
      : claimed?.kind === 'approximate'
        ? claimed.delta
        : undefined;

  const { lines, silent } = input.alternatives ? weakestOf(releases, delta) : addUp(releases, delta);
  const totals = lines.map(
    (line): Total => ({
      ...line,
      ...(delta === undefined ? {} : { epsilonAtDelta: readAt(line.guarantee, delta)?.epsilon ?? null }),
      ...(claimed === undefined ? {} : { withinClaim: implies(line.guarantee, claimed) }),
    }),
  );
  return {
    protocol: checkText('protocol', input.protocol),
    variant: checkText('variant', input.variant),
    neighbouring: 'replace-one: any two data of one player',
    releases,
    ...(input.alternatives ? { alternatives: true as const } : {}),
    ...(claimed === undefined ? {} : { claimed }),
    ...(delta === undefined ? {} : { reportDelta: delta }),
    totals,
    silent,
  };
}
