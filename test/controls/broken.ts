import type { MarginEstimate, MarginQuery } from '../../protocols/generalized-linear/margin/query.ts';
import type { MarginDatum } from '../../protocols/generalized-linear/margin/record.ts';
import { type HingeParameters, hinge } from '../../protocols/hinge/index.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import type { Player, Protocol, Server, Theory, Wire } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';

/** The hinge protocol with one thing broken on purpose. */
export interface Broken {
  /** What is broken. */
  readonly what: string;
  /** The law that has to notice. */
  readonly law: string;
  readonly player?: Partial<Player<HingeParameters, MarginDatum, ValuesReport>>;
  readonly report?: Partial<Wire<HingeParameters, ValuesReport>>;
  readonly server?: Partial<Server<HingeParameters, ValuesReport, ChannelTally, MarginEstimate, MarginQuery>>;
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
}: Broken): Protocol<HingeParameters, MarginDatum, ValuesReport, ChannelTally, MarginEstimate, MarginQuery> {
  return {
    ...hinge,
    player: { ...hinge.player, ...player },
    report: { ...hinge.report, ...report },
    server: { ...hinge.server, ...server },
    theory: { ...hinge.theory, ...theory },
  };
}
