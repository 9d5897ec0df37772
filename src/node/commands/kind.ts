import type { Option } from 'commander';
import type { CertificateDocument } from '../../core/certified.ts';
import type { Grade } from '../../core/grade.ts';
import type { AnyRequest } from '../audit-target.ts';
import type { RefutedDocument } from '../models/refuted.ts';
import type { AnyStudy } from '../studies.ts';
import type { ForecastOptions } from './forecast-options.ts';
import type { AuditCommandOptions, CertifyOptions } from './player-options.ts';
import type { RunOptions } from './run-options.ts';

/** The commands that are about one protocol. */
export type ProtocolCommand = 'run' | 'certify' | 'audit' | 'forecast';

/** The options of each of those commands, as they were typed. */
export interface CommandOptions {
  readonly run: RunOptions;
  readonly certify: CertifyOptions;
  readonly audit: AuditCommandOptions;
  readonly forecast: ForecastOptions;
}

/** What an audit is asked for. */
export interface AuditRequest {
  /** What the parameters of the attacked player are made from. */
  readonly request: AnyRequest;
  /** The variant and the grade, for the heading. */
  readonly variant: string;
  readonly grade: Grade;
  /** δ at which bounds on Gaussian claims are also read as an ε. */
  readonly delta: number;
  /** Whether what a curator releases is attacked, in the place of what a player sends. */
  readonly central?: boolean;
}

/** What stands in the place of certificates where a claim is refuted. */
export interface Refuted {
  readonly refuted: readonly RefutedDocument[];
}

/** One command as a kind of protocols answers it. */
export interface Answer<Of, Does> {
  /** What it does, in a few words, for the list of protocols. */
  readonly offers: string;
  /** Whether it is there for this study; by default it is for all of the kind. */
  has?(study: Of): boolean;
  /** All its options, with their help and defaults, in the order of the help. */
  readonly options: readonly Option[];
  /** Why an option that only others have is refused: the end of `expected none: …`. */
  lacks(protocol: string, option: string): string;
  /** What is said below the help. */
  readonly notes?: string;
  /** The command itself. */
  readonly does: Does;
}

/**
 * A kind of protocols, as the command line knows it: how each command is answered, and which options it has. A command that is not
 * there is refused.
 */
export interface StudyKind<Of extends AnyStudy> {
  /** Plays the protocol, prints and writes what came of it. `protocol` is the word that was typed: a name, or a module file. */
  readonly run?: Answer<Of, (protocol: string, study: Of, options: RunOptions) => Promise<void>>;
  /** The certificates asked for, one or more, or why there are none. */
  readonly certify?: Answer<
    Of,
    (study: Of, options: CertifyOptions) => Promise<readonly CertificateDocument[] | Refuted>
  >;
  /** What an audit is asked for. */
  readonly audit?: Answer<Of, (study: Of, options: AuditCommandOptions) => Promise<AuditRequest>>;
  /** Prints what to expect. */
  readonly forecast?: Answer<Of, (study: Of, options: ForecastOptions) => Promise<void>>;
}
