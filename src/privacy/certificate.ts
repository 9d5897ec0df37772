import { checkList, checkOpenUnit } from '../check/refusal.ts';
import { implies, readAt } from './conversion.ts';
import { checkGuarantee, describeGuarantee, type Guarantee, weakest } from './guarantee.ts';
import { decimal, decimalAbove } from './rounding.ts';
import {
  type Accounting,
  addUp,
  type CertifiedRelease,
  checkRelease,
  checkText,
  type Release,
  type Silence,
  type Sums,
  type Total,
} from './totals.ts';

/** The accountings that several alternatives can share. */
const SHARED: readonly Accounting[] = ['pure', 'basic', 'gdp', 'zcdp', 'numeric'];

const RULE = 'a player sends one of the releases: the weakest of them (McSherry 2009, Theorem 4)';

/**
 * The totals where a player sends *one* of the releases, as with fresh players in every round. The total under an
 * accounting is the weakest guarantee of the releases; there is none where a release has no such guarantee.
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
  /** Present where a player sends only one of the releases, as with fresh players in every round. */
  readonly alternatives?: true;
  /** The guarantee claimed for the whole transcript, if there is a claim. */
  readonly claimed?: Guarantee;
  /** The δ at which every total is also read as an ε, if there is such a δ. */
  readonly reportDelta?: number;
  /** One line for every accounting that applies. Each is true, so one may rely on the least ε (or on `withinClaim`). */
  readonly totals: readonly Total[];
  /** The accountings that do not apply. */
  readonly silent: readonly Silence[];
}

/** What a certificate is made from. */
export interface CertificateInput extends Pick<Certificate, 'protocol' | 'variant' | 'claimed' | 'reportDelta'> {
  /** Everything one player sends, over all rounds. */
  readonly releases: readonly Release[];
  /** Whether a player sends only one of the releases; otherwise all of them. */
  readonly alternatives?: boolean;
}

/**
 * The certificate of one player's whole transcript: all copies, all rounds and every accounting that applies, each
 * checked against the claim. All releases are treated as computed on the same datum, so they add up; nothing is assumed
 * to cancel.
 * @throws TypeError or RangeError for what is no list of releases or an empty one, a count below 1, or a number that is not finite and > 0.
 */
export function certificate(input: CertificateInput): Certificate {
  checkList('releases', input.releases);
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

/** Whether at least one total of a certificate implies what is claimed; undefined where nothing is claimed. */
export function isCertified({
  claimed,
  totals,
}: Pick<Certificate, 'claimed'> & { readonly totals: readonly Pick<Total, 'withinClaim'>[] }): boolean | undefined {
  return claimed === undefined ? undefined : totals.some(({ withinClaim }) => withinClaim);
}

/**
 * A certificate as plain-text lines: what is claimed, a table of the releases, a table of the totals, and the
 * accountings that do not apply. Privacy numbers are rounded up in the sixth digit, so that every line is still true.
 */
export function formatCertificate(certificate: Certificate): string[] {
  const { protocol, variant, neighbouring, releases, claimed, reportDelta, totals, silent } = certificate;
  const verdict = (holds: boolean | undefined): string => (holds === undefined ? '' : holds ? 'yes' : 'no');
  const lines = [
    `Certificate of ${protocol} (${variant}): one player's whole transcript`,
    `Neighbouring: ${neighbouring}`,
    `Claimed: ${claimed ? describeGuarantee(claimed) : 'nothing'}`,
    ...(isCertified(certificate) === false ? ['NOT certified: none of the totals below implies this claim.'] : []),
    ...(certificate.alternatives ? ['Of these releases a player sends one, whichever round it is asked in.'] : []),
    '',
    ...table([
      ['copies', 'release', 'mechanism', 'sensitivity', 'scale', 'each guarantees', 'claimed for each', 'holds'],
      ...releases.map((release) => [
        String(release.count),
        release.what,
        release.mechanism,
        decimal(release.sensitivity),
        decimal(release.scale),
        describeGuarantee(release.guarantee),
        release.claimed ? describeGuarantee(release.claimed) : '',
        verdict(release.claimHolds),
      ]),
    ]),
    '',
    ...table([
      [
        'accounting',
        'in total',
        reportDelta === undefined ? '' : `ε at δ = ${decimalAbove(reportDelta)}`,
        claimed ? 'implies the claim' : '',
        'theorem',
      ],
      ...totals.map((total) => [
        total.accounting,
        describeGuarantee(total.guarantee),
        total.epsilonAtDelta == null ? '' : decimalAbove(total.epsilonAtDelta),
        verdict(total.withinClaim),
        total.theorem,
      ]),
    ]),
  ];
  if (silent.length > 0) lines.push('', ...silent.map(({ accounting, reason }) => `No ${accounting} total: ${reason}`));
  return lines;
}

/** Columns padded to their widest cell, two blanks between; a column with nothing in it is left out. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const used = widths.map((_, column) => rows.some((row, i) => i > 0 && row[column] !== ''));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .filter((_, column) => used[column])
      .join('  ')
      .trimEnd(),
  );
}
