import type { Protocol, PublicParameters } from '../../../src/core/contract.ts';

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
