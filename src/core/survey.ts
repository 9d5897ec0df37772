import type { Random } from '../random/random.ts';
import type { CertificateDocument } from './certified.ts';
import type { Collector, CollectorOptions } from './collector.ts';
import type { Expectation, ForecastSetting, PublicParameters } from './contract.ts';
import type { DeviceOptions } from './device.ts';
import type { Cap, Ledger } from './ledger.ts';
import type { RoundsCollector, RoundsCollectorOptions } from './rounds-collector.ts';
import type { SequentialCollector } from './sequential-collector.ts';

/** How a device of a survey is asked to be; without options it answers once, and forgets when the program ends. */
export interface SurveyDeviceOptions extends Omit<DeviceOptions, 'ledger'> {
  /** The ledger of the data. Default: a new one in memory. */
  readonly ledger?: Ledger;
  /** How much the new ledger allows; only where no `ledger` is given. Default: what the survey guarantees, so that it is one survey. */
  readonly cap?: Cap;
  /**
   * Coins for a study that is to be repeated; they protect nobody. Default: the secure source. The grade `simulation` has no
   * other device than one with coins that are given.
   */
  readonly random?: Random;
}

/** A player of a survey. */
export interface SurveyDevice<Asked extends readonly unknown[]> {
  /**
   * The bytes of one report about a datum, in the round or the step that was received, where there are any.
   *
   * @throws as `report` of `DeployedPlayer` and `DeployedRoundsPlayer`; where coins are given, what the player throws for a datum that is
   * refused.
   */
  report(...asked: Asked): Uint8Array;
}

/** What is the same for surveys of every kind. */
export interface Survey<Parameters extends PublicParameters> {
  /** What was agreed: to be given to players, with everything that they have to know. */
  readonly parameters: Parameters;
  /** What one player's whole transcript guarantees: see `certify`. */
  certificate(): CertificateDocument;
  /**
   * What to expect before there are any data: see `Theory.forecast`.
   *
   * @throws TypeError for a protocol without a forecast; what the protocol refuses.
   */
  forecast(setting: ForecastSetting): Expectation;
  /** The survey in plain words: who sends what, what that guarantees, and what it rests on. One sentence a line. */
  summary(): string;
}

/** A collector that can be asked. */
export interface SurveyCollector<Tally, Estimate, Query> extends Omit<Collector<Tally>, 'merge'> {
  /** The collector beneath, as `createCollector` made it. */
  readonly collector: Collector<Tally>;
  /** As `merge` of `Collector`. */
  merge(other: SurveyCollector<Tally, Estimate, Query>): void;
  /**
   * What the reports that were counted say of the population.
   *
   * @throws RangeError when none was counted, and what the protocol refuses.
   */
  estimate(query?: Query): Estimate;
}

/** A survey of a one-shot protocol: one query, one report per player. */
export interface OneShotSurvey<Parameters extends PublicParameters, Datum, Tally, Estimate, Query>
  extends Survey<Parameters> {
  /** A player. It answers once; see `deployedPlayer`. */
  device(options?: SurveyDeviceOptions): SurveyDevice<[datum: Datum]>;
  /** A server's front door; see `createCollector`. */
  collector(options?: CollectorOptions): SurveyCollector<Tally, Estimate, Query>;
}

/** A survey in rounds: `collector().round` is what players receive now, and `close()` goes on to the next. */
export interface RoundsSurvey<Plan extends PublicParameters, Round, Datum, Tally, Estimate, Query>
  extends Survey<Plan> {
  /** A player. It answers as many rounds as the plan counts, each once; see `deployedRoundsPlayer`. */
  device(options?: SurveyDeviceOptions): SurveyDevice<[round: Round, datum: Datum]>;
  /** A server's front door; see `createRoundsCollector`. */
  collector(options?: RoundsCollectorOptions<Tally>): RoundsCollector<Round, Tally, Estimate, Query>;
}

/** A collector of a stream that can be asked at any moment. */
export interface StreamCollector<Step, State, Estimate, Query> extends SequentialCollector<Step, State> {
  /**
   * What the reports so far say of the population.
   *
   * @throws RangeError when there are too few for what is asked.
   */
  estimate(query?: Query): Estimate;
}

/** A survey of a stream: `collector().step()` is what the next player receives. */
export interface StreamSurvey<Plan extends PublicParameters, Step, Datum, State, Estimate, Query> extends Survey<Plan> {
  /** A player. It answers one step, once; see `deployedSequentialPlayer`. */
  device(options?: SurveyDeviceOptions): SurveyDevice<[step: Step, datum: Datum]>;
  /** A server's front door, from the start or from a state that was saved; see `createSequentialCollector`. */
  collector(options?: {
    readonly state?: State;
    readonly answered?: Uint8Array;
  }): StreamCollector<Step, State, Estimate, Query>;
}
