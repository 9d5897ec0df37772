import type { CertificateDocument } from '../../core/certified.ts';
import type { Grade } from '../../core/grade.ts';
import type { RefutedClaim } from '../../simulation/model-study.ts';
import type { AnyRequest } from '../audit-target.ts';
import type { AnyStudy } from '../studies.ts';
import type { OptionSet, Values } from './options.ts';

/** The commands that are about one protocol. */
export type ProtocolCommand = 'run' | 'certify' | 'audit' | 'forecast';

/** What a command shows: the same as a document and as lines of a terminal. */
export interface Shown {
  readonly document: object;
  readonly lines: readonly string[];
}

/** What a run shows; its page is made where it is written. */
export interface RunShown extends Shown {
  readonly page: () => Promise<string>;
  /** Files that the run wrote itself. */
  readonly written?: readonly string[];
}

/** A claim that does not hold, with whose it is: it stands in the place of a certificate. */
export interface RefutedDocument extends RefutedClaim {
  readonly protocol: string;
  readonly variant: string;
  /** Nothing is certified. */
  readonly holds: false;
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

/** What each command is given by a kind of protocols. `run` gives nothing where it has printed all that was asked for. */
export interface Answers {
  readonly run: RunShown | undefined;
  readonly certify: readonly CertificateDocument[] | { readonly refuted: readonly RefutedDocument[] };
  readonly audit: AuditRequest;
  readonly forecast: Shown;
}

/** One command as a kind of protocols answers it. */
export interface Answer<Of, Given> {
  /** What it does, in a few words, for the list of protocols. */
  readonly offers: string;
  /** Whether it is there for this study; by default it is for all of the kind. */
  has?(study: Of): boolean;
  /** All its options by name, in the order of the help. */
  readonly options: OptionSet;
  /** Those of them that this study does not have; by default it has all. */
  without?(study: Of): readonly string[];
  /** What is said below the help. */
  readonly notes?: string;
  /** The command itself. `word` is what was typed for the protocol: a name, or a module file. */
  does(study: Of, options: never, word: string): Promise<Given>;
}

/** A kind of protocols, as the command line knows it: how each command is answered. A command that is not there is refused. */
export type StudyKind<Of extends AnyStudy> = {
  readonly [name in ProtocolCommand]?: Answer<Of, Answers[name]>;
} & {
  /** Why an option is refused that no other reason is known for: the end of `expected none: …`. */
  lacks(protocol: string): string;
};

/** An answer whose command is given what its own options are read as. */
export function answer<Of, Options extends OptionSet, Given>(
  given: Omit<Answer<Of, Given>, 'options' | 'does'> & {
    readonly options: Options;
    does(study: Of, options: Values<Options>, word: string): Promise<Given>;
  },
): Answer<Of, Given> {
  return given as unknown as Answer<Of, Given>;
}
