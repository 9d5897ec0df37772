import {
  type HingeDatum,
  type HingeParameters,
  type HingeReport,
  type HingeTally,
  hinge,
} from '../../protocols/hinge/index.ts';
import type { HingeEstimate, HingeQuery } from '../../protocols/hinge/server.ts';
import type { Player, Protocol, Server, Theory, Wire } from '../../src/core/contract.ts';

/** The hinge protocol with one thing broken on purpose. */
export interface Broken {
  /** What is broken. */
  readonly what: string;
  /** The law that has to notice. */
  readonly law: string;
  readonly player?: Partial<Player<HingeParameters, HingeDatum, HingeReport>>;
  readonly report?: Partial<Wire<HingeParameters, HingeReport>>;
  readonly server?: Partial<Server<HingeParameters, HingeReport, HingeTally, HingeEstimate, HingeQuery>>;
  readonly theory?: Partial<Theory<HingeParameters>>;
  /** Breaks parameters that were made properly. */
  readonly parameters?: (made: HingeParameters) => HingeParameters;
}

/** The broken protocol. */
export function brokenHinge({
  player,
  report,
  server,
  theory,
}: Broken): Protocol<HingeParameters, HingeDatum, HingeReport, HingeTally, HingeEstimate, HingeQuery> {
  return {
    ...hinge,
    player: { ...hinge.player, ...player },
    report: { ...hinge.report, ...report },
    server: { ...hinge.server, ...server },
    theory: { ...hinge.theory, ...theory },
  };
}
