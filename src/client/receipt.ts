/** What may become of a report at a collector, in the order in which it is shown. Only `counted` changed the tally. */
export const OUTCOMES = ['counted', 'duplicate', 'refused', 'late', 'full', 'forbidden'] as const;

/** What a collector answers to a report. */
export interface SentReceipt {
  /** `counted` and `duplicate` mean that this player is counted: the bytes need not be kept any longer. */
  readonly outcome: (typeof OUTCOMES)[number];
  /** Why it was refused. */
  readonly reason?: string;
}
