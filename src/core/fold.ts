import type { Random } from '../random/random.ts';
import type { Protocol, PublicParameters } from './contract.ts';

/**
 * The protocol in one loop: every datum becomes a report, every report is tallied. Through `wire: true` each report
 * also travels as bytes, which changes nothing but the time it takes.
 */
export function collect<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query>(
  protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query>,
  parameters: Parameters,
  data: Iterable<Datum>,
  random: Random,
  options: { readonly wire?: boolean } = {},
): Tally {
  const { player, report: wire, server } = protocol;
  const tally = server.empty(parameters);
  for (const datum of data) {
    let report = player.randomize(parameters, datum, random);
    if (options.wire) report = wire.decode(parameters, wire.encode(parameters, report));
    server.add(parameters, tally, report);
  }
  return tally;
}

/**
 * The tally of reports received as bytes.
 *
 * @throws ReportError at the first report that these parameters cannot have produced; the tally is then not returned.
 */
export function tallyReports<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query>(
  protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query>,
  parameters: Parameters,
  reports: Iterable<Uint8Array>,
): Tally {
  const tally = protocol.server.empty(parameters);
  for (const bytes of reports) protocol.server.add(parameters, tally, protocol.report.decode(parameters, bytes));
  return tally;
}
