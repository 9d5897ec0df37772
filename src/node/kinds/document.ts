import type { Grade } from '../../core/digest.ts';
import type { Certificate } from '../../privacy/certificate.ts';
import type { Guarantee } from '../../privacy/guarantee.ts';

/** What every document of a run says of itself. */
export interface RunHead {
  readonly protocol: string;
  /** What the records are called. */
  readonly title: string;
  readonly repetitions?: number;
  readonly seed: string;
  /** Version of ldpkit. */
  readonly version: string;
  /** The command that made this document. */
  readonly command: string;
}

/** What the documents of studies have in common; the headline is the first variant at the budget closest to 1. */
export interface StudyHead extends RunHead {
  readonly variant: string;
  readonly players: number;
  /** The guarantee for one player. */
  readonly guarantee: Guarantee;
  /** What the protocol does, in one line. */
  readonly summary: string;
  /** What the players' noise was made of. */
  readonly grade: Grade;
}

/** The same where the budget is ε, with all its runs. */
export interface EpsilonHead extends StudyHead {
  /** ε of the headline run. */
  readonly epsilon: number;
  readonly repetitions: number;
  /** One for each variant and ε, in the order of the runs. */
  readonly certificates: readonly CertificateRecord[];
}

/** What one player sends under one variant at one ε, with its guarantee. */
export interface CertificateRecord {
  readonly epsilon: number;
  readonly certificate: Certificate;
}
