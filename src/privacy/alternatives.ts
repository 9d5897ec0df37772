import { approximate, type Guarantee, gdp, pure, zcdp } from './guarantee.ts';
import type { CertifiedRelease } from './release.ts';
import { type Accounting, addUp, type Sums } from './totals.ts';

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
export function weakestOf(releases: readonly CertifiedRelease[], delta: number | undefined): Sums {
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
