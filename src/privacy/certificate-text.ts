import type { Certificate } from './certificate.ts';
import { describeGuarantee } from './guarantee.ts';
import { decimal, decimalAbove } from './rounding.ts';

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
        reportDelta === undefined ? '' : `ε at δ = ${decimal(reportDelta)}`,
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
