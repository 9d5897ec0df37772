import type { ExperimentClaim } from 'ldpkit/testing';

/** Fewer than the 400 replications that are asked for decide nothing, unless what they give is far outside: four standard errors. */
export function tableOutcome(mean: number, replications: number): Pick<ExperimentClaim, 'met' | 'undecided'> {
  const met = mean >= 93.5 && mean <= 96.5;
  if (replications >= 400) return { met };
  const error = Math.sqrt((95 * 5) / replications);
  const far = Math.max(93.5 - mean, mean - 96.5) > 4 * error;
  return far ? { met: false } : { met: false, undecided: true };
}
