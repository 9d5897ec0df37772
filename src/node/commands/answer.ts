import type { CertificateDocument } from '../../core/certify.ts';
import type { Grade } from '../../core/digest.ts';
import type { RefutedClaim } from '../../simulation/model-study.ts';
import type { AnyRequest } from '../audit-target.ts';
import type { Workforce } from '../jobs/jobs.ts';
import type { RunHead } from '../kinds/document.ts';
import type { RunResult } from '../report/result.ts';
import type { AnyStudy } from '../studies.ts';
import type { OptionSet, Values } from './options.ts';

/** The commands that work on one protocol. */
export type ProtocolCommand = 'run' | 'certify' | 'audit' | 'forecast';

/** What a command shows, both as a document and as lines of a terminal. */
export interface Shown {
  readonly document: object;
  readonly lines: readonly string[];
}

/** What a run shows. */
export interface RunShown {
  readonly document: RunHead;
  /** What came out, for people; it is made only where it is shown. */
  readonly result: () => Promise<RunResult>;
  /** Files that the run wrote itself. */
  readonly written?: readonly string[];
}

/** A claim that does not hold, with its protocol and variant; it replaces a certificate. */
export interface RefutedDocument extends RefutedClaim {
  readonly protocol: string;
  readonly variant: string;
  /** Nothing is certified. */
  readonly holds: false;
}

/** The request of an audit. */
export interface AuditRequest {
  /** What the parameters of the attacked player are made from. */
  readonly request: AnyRequest;
  /** The variant and the grade, for the heading. */
  readonly variant: string;
  readonly grade: Grade;
  /** δ at which bounds on Gaussian claims are also read as an ε. */
  readonly delta: number;
  /** Whether the attack is on what a curator releases, instead of what a player sends. */
  readonly central?: boolean;
}

/** What a kind of protocols returns to each command. `run` returns nothing if it has already printed everything. */
export interface Answers {
  readonly run: RunShown | undefined;
  readonly certify: readonly CertificateDocument[] | { readonly refuted: readonly RefutedDocument[] };
  readonly audit: AuditRequest;
  readonly forecast: Shown;
}

/** One command, as a kind of protocols answers it. */
export interface Answer<Of, Given> {
  /** What it does, in a few words, for the list of protocols. */
  readonly offers: string | ((study: Of) => string);
  /** Whether it exists for this study; by default it exists for all of the kind. */
  has?(study: Of): boolean;
  /** All its options by name, in the order of the help. */
  readonly options: OptionSet;
  /** The options that this study does not have; by default it has all. */
  without?(study: Of): readonly string[];
  /** Notes below the help. */
  readonly notes?: string;
  /** The command itself. `word` is the protocol as typed: a name, or a module file. `workforce` does the jobs of a run. */
  does(study: Of, options: never, word: string, workforce: Workforce): Promise<Given>;
}

/** A kind of protocols for the command line: how each command is answered. A command without an answer is refused. */
export type StudyKind<Of extends AnyStudy> = {
  readonly [name in ProtocolCommand]?: Answer<Of, Answers[name]>;
} & {
  /** Why an option is refused if no other reason is known: the end of `expected none: …`. */
  lacks(protocol: string): string;
};

/** An answer whose command gets the values of its own options. */
export function answer<Of, Options extends OptionSet, Given>(
  given: Omit<Answer<Of, Given>, 'options' | 'does'> & {
    readonly options: Options;
    does(study: Of, options: Values<Options>, word: string, workforce: Workforce): Promise<Given>;
  },
): Answer<Of, Given> {
  return given as unknown as Answer<Of, Given>;
}
