import type { PointStudy } from '../../../simulation/point-study.ts';
import { elsewhere } from '../elsewhere.ts';
import { forecastPoints } from '../forecast.ts';
import type { StudyKind } from '../kind.ts';
import { AUDIT_OPTIONS, CERTIFY_OPTIONS, DEGREE, FORECAST_OPTIONS, option, RUN_OPTIONS, withOwn } from '../options.ts';
import { auditOneReport, certifyOneReport, REPETITIONS, RISK_FORECAST } from './records.ts';

const COORDINATES = option('--dimension <number>', 'coordinates of a point (default: 10)');

const lacks = (protocol: string, name: string): string =>
  elsewhere(protocol, name) ?? `${protocol} is on points without labels`;

/** Protocols for a place among private points. */
export const points: StudyKind<PointStudy> = {
  run: {
    offers: 'the destinations of the flights',
    options: withOwn(RUN_OPTIONS, [
      option('--epsilon <list>', 'privacy of each player, one number or several with commas (default: 1,2,4)'),
      option('--players <number>', 'how many players take part, chosen by the seed (default: all)'),
      option('--out <folder>', 'where result.json goes (default: nowhere)'),
      option('--degree <number>', 'degree collected for (default: 2)'),
      option('--radius <number>', 'the place satisfies ‖w‖ ≤ radius (default: 1)'),
      option('--moved <list>', 'shares of the players moved to the far corner (default: 0,0.2)'),
      REPETITIONS,
    ]),
    lacks: (protocol, name) => elsewhere(protocol, name) ?? `${protocol} plays on the destinations of the flights`,
    does: async (_, study, options) => (await import('../run-points.ts')).runPoints(study, options),
  },
  certify: {
    offers: 'every variant',
    options: withOwn(CERTIFY_OPTIONS, [COORDINATES, DEGREE]),
    lacks,
    does: certifyOneReport,
  },
  audit: {
    offers: 'one report',
    options: withOwn(AUDIT_OPTIONS, [COORDINATES, DEGREE], 6),
    lacks,
    does: auditOneReport,
  },
  forecast: {
    offers: 'excess risk, players needed',
    options: withOwn(FORECAST_OPTIONS, [COORDINATES, ...RISK_FORECAST]),
    lacks,
    does: forecastPoints,
  },
};
