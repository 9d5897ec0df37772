/**
 * Labelled records held in memory: what a simulation plays the players with. Nothing that leaves a player's device is
 * ever of this form.
 */
export interface Dataset {
  /** Number of records n. */
  readonly players: number;
  /** Number of coordinates p of a record. */
  readonly dimension: number;
  /** A name for each coordinate. */
  readonly names: readonly string[];
  /** Record i is `features[i·p] … features[i·p + p − 1]`; its ℓ₂ norm is at most 1. Length n·p. */
  readonly features: Float32Array;
  /** +1 or −1 for each record. Length n. */
  readonly labels: Int8Array;
}
