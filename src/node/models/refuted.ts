import { describeGuarantee } from '../../privacy/guarantee.ts';
import { decimal } from '../../privacy/rounding.ts';
import type { RefutedClaim } from '../../simulation/model-study.ts';

/** A claim that does not hold, with whose it is. */
export interface RefutedDocument extends RefutedClaim {
  readonly protocol: string;
  readonly variant: string;
  /** Nothing is certified. */
  readonly holds: false;
}

/** What stands in the place of a certificate of a protocol whose claim is refuted. */
export function formatRefuted({
  protocol,
  variant,
  claimed,
  because,
  unboundedDelta,
  example,
}: RefutedDocument): string[] {
  return [
    `No certificate of ${protocol} (${variant}): its claim does not hold`,
    `Claimed: ${describeGuarantee(claimed)}`,
    `Refuted: ${because}`,
    `Needed whatever ε is: δ = ${decimal(unboundedDelta)}, on ${example}`,
    `An attack on the same data: ldpkit audit ${protocol} --variant ${variant}`,
  ];
}
