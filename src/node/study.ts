import type { AuditedPart, AuditTarget } from '../audit/target.ts';
import type { CertificateDocument } from '../core/certify.ts';
import type { PlainRequest, Protocol, PublicParameters } from '../core/contract.ts';
import type { Grade } from '../core/digest.ts';
import type { RefutedClaim } from '../simulation/model-study.ts';
import type { Uncertainty } from '../simulation/uncertainty.ts';
import type { Workforce } from './jobs/jobs.ts';
import type { RunResult } from './report/result.ts';
import type { SchemaForm } from './schema-shape.ts';

/** Reads the text of an option; `name` is the name that an error message shows. */
export type Read<Value> = (name: string, typed: string) => Value;

/** An option of a command as data; a text that `read` refuses is refused with its message. */
export interface StudyOption<Value = unknown> {
  /** As help shows it: `--name <value>`, or `--name` for a flag, whose value is true. */
  readonly flags: string;
  readonly help: string;
  /** By default the text as it is. */
  readonly read?: Read<Value>;
  /** The text that is read where none is typed; without it the value is then undefined. */
  readonly otherwise?: string;
}

/** Options of a command in the order of its help, by the names of their values: `burnIn` for `--burn-in`. */
export type OptionSet = Readonly<Record<string, StudyOption>>;

/** The values of a set of options. */
export type Values<Options> = {
  readonly [name in keyof Options]: Options[name] extends StudyOption<infer Value> ? Value : never;
};

/** One command of a study. */
export interface StudyCommand<Given> {
  /** What it does, in a few words, for the list of protocols. */
  readonly offers: string;
  /** All its options. */
  readonly options: OptionSet;
  /** Notes below the help. */
  readonly notes?: string;
  /** True where it reads the flights if no `--data` is typed. */
  readonly flights?: true;
  /** True of a run whose jobs may be done elsewhere: `--part` and `--workers`. */
  readonly shared?: true;
  /** The command itself, given the values of its options. `workforce` does the jobs of a run. */
  does(options: never, workforce: Workforce): Given | Promise<Given>;
}

/** A command whose values have the types that its options read. */
export function command<Options extends OptionSet, Given, More extends object = object>(
  given: Omit<StudyCommand<Given>, 'options' | 'does'> &
    More & {
      readonly options: Options;
      does(options: Values<Options>, workforce: Workforce): Given | Promise<Given>;
    },
): StudyCommand<Given> & More {
  return given as unknown as StudyCommand<Given> & More;
}

/** What a run shows. The version and the command line are added to its document. */
export interface RunShown {
  readonly document: {
    readonly protocol: string;
    /** What the records are called. */
    readonly title: string;
    readonly seed: string;
  };
  /** What came out, for people: terminal and page show the same of it. It is made only where it is shown. */
  result(): RunResult | Promise<RunResult>;
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

/** The certificates of all variants that were asked for, or why there is none. */
export type Certified = readonly CertificateDocument[] | { readonly refuted: readonly RefutedDocument[] };

/** What an audit attacks. */
export interface AuditRequest {
  /** What the parameters of the attacked player are made from, as plain data. */
  readonly request: object;
  /** The variant and the grade, for the heading. */
  readonly variant: string;
  readonly grade: Grade;
  /** δ at which bounds on Gaussian claims are also read as an ε. */
  readonly delta: number;
  /** Whether the attack is on what a curator releases, instead of what a player sends. */
  readonly central?: boolean;
}

/** What a forecast shows, both as a document and as lines of a terminal. */
export interface Shown {
  readonly document: object;
  readonly lines: readonly string[];
}

/** The target of an audit, whatever the types of its protocol. */
export type AnyTarget = AuditTarget<unknown, unknown, unknown>;

/** The audit of a study. Worker threads load the study too, and ask it for the target of the same request. */
export interface StudyAudit {
  /** The player under attack; of a protocol in rounds that of one round, or by default the transcript. */
  target(request: never, part?: AuditedPart): AnyTarget | Promise<AnyTarget>;
  /** What can be attacked, where there is more than one report. */
  parts?(request: never): readonly AuditedPart[] | undefined | Promise<readonly AuditedPart[] | undefined>;
}

/** A protocol of which the command line knows only that it keeps the contract; its types do not matter here. */
export type AnyProtocol = Pick<
  Protocol<PublicParameters, unknown, unknown, unknown, unknown, unknown>,
  'name' | 'theory' | 'player' | 'server' | 'auditing'
> & { make(request: PlainRequest): PublicParameters };

/**
 * The commands of a study: for each the options with their parsers, and what is done. A run ends in a document and in a
 * {@link RunResult}, of which terminal, JSON and page are made. A command that is absent is refused. The study of a module
 * file may have `commands` of its own, which take the place of those of its kind.
 */
export interface StudyCommands {
  readonly run?: StudyCommand<RunShown | undefined>;
  readonly certify?: StudyCommand<Certified>;
  readonly audit?: StudyCommand<AuditRequest> & StudyAudit;
  readonly forecast?: StudyCommand<Shown>;
}

/** A protocol as the command line knows it, and nothing else of it. */
export interface CommandStudy extends StudyCommands {
  readonly protocol: Pick<AnyProtocol, 'name'>;
  /** What kind of study it is, for the list of protocols; absent for one that has its own commands only. */
  readonly kind?: string;
  /** What it does, in one line. */
  readonly summary?: string;
  /** Its variants, in the order of tables. */
  readonly variants?: readonly string[];
  /**
   * Why an option is refused that other protocols have: the end of `expected none: …`. `elsewhere` is what those say of it.
   */
  lacks?(option: string, elsewhere: string | undefined): string;
  /** The form of the schemas of its records; absent where it reads no file. */
  readonly form?: SchemaForm;
  /** What the noise leaves open about what was estimated from a tally, where that can be told from the two. */
  uncertainty?(parameters: PublicParameters, query: unknown): (tally: unknown, found: never) => Uncertainty;
}

/** The commands that work on one protocol, in the order of the list. */
export type ProtocolCommand = 'run' | 'certify' | 'audit' | 'forecast';

/** Their names. */
export const COMMANDS: readonly ProtocolCommand[] = ['run', 'certify', 'audit', 'forecast'];

/** What each of them gets from a study. */
export interface Answers {
  readonly run: RunShown | undefined;
  readonly certify: Certified;
  readonly audit: AuditRequest;
  readonly forecast: Shown;
}

/** How the studies of one kind become objects of the command line: plain data of a protocol in, commands out. */
export interface StudyKind<Of> {
  /** The options of all studies of the kind. */
  readonly options: { readonly [name in ProtocolCommand]: OptionSet };
  /** What is said of options that only this kind has, where a protocol of another kind is asked for one. */
  readonly elsewhere?: Readonly<Record<string, (protocol: string) => string>>;
  /** The study of a protocol; `word` is its name, or its module file, as typed: threads load it by the same word. */
  open(study: Of, word: string): CommandStudy;
}
