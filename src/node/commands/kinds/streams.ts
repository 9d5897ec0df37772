import type { StreamStudy } from '../../../../protocols/online-sgd/stream-study.ts';
import { budgetOf, certificatesOf } from '../certificates.ts';
import { elsewhere } from '../elsewhere.ts';
import { forecastStream } from '../forecast-stream.ts';
import type { StudyKind } from '../kind.ts';
import { readGrade } from '../number-option.ts';
import { AUDIT_OPTIONS, CERTIFY_OPTIONS, FORECAST_OPTIONS, MU, option, RUN_OPTIONS, withOwn } from '../options.ts';
import { streamRequest } from '../stream-request.ts';
import { dimensionOf } from '../user-numbers.ts';
import { RECORD_FILE } from './records.ts';

const NOTES = `
Players come in the order of time, and --schema has a number as its label.
The flights are the npm package vega-datasets. Where neither --mu nor --epsilon is given, μ = 1.
Where intervals are refused after the last player, the state of the server (--save) is written nevertheless.`;

const lacks = (protocol: string, name: string): string =>
  elsewhere(protocol, name) ?? `${protocol} is a regression of a stream`;

/** Sequential protocols: one player after the other, with intervals along the stream. */
export const streams: StudyKind<StreamStudy> = {
  run: {
    offers: 'the flights in the order of time, or the records of a file',
    options: withOwn(RUN_OPTIONS, [
      option('--epsilon <number>', 'ε of each player, for variants of another privacy than Gaussian'),
      option('--mu <number>', 'μ of each player, for variants of Gaussian privacy (default: 1)'),
      option('--variant <name>', 'variant of parameters (default: the first one with this budget)'),
      option('--players <number>', 'how many players take part, the first of the stream (default: all)'),
      option(
        '--out <folder>',
        'where result.json and report.html go (default: out, or nowhere with --json or --ndjson)',
      ),
      ...RECORD_FILE,
      option(
        '--method <word>',
        'random-scaling, batch-means, disjoint-batch-means, plug-in or none (default: random-scaling)',
      ),
      option('--level <number>', 'probability that an interval holds its value (default: 0.95)'),
      option('--hessian-floor <number>', 'eigenvalues of the Hessian below it are raised to it, in plug-in intervals'),
      option('--gamma <number>', 'γ of the step size γ·i^−α (default: 0.5, for the flights 0.1)'),
      option('--alpha <number>', 'α in (0, 1] (default: 0.51)'),
      option('--burn-in <number>', 'first steps that averages leave out (default: 0)'),
      option('--hessian-mu <number>', 'also release Hessians at this μ, for plug-in intervals'),
      option('--save <file>', 'where the state of the server goes'),
      option('--resume <file>', 'a saved state to go on from, with the players that follow'),
      option('--ndjson', 'print one JSON line at every checkpoint as it comes'),
    ]),
    lacks: (protocol, name) =>
      elsewhere(protocol, name) ?? `${protocol} is a stream, in which each player answers once`,
    notes: NOTES,
    does: async (_, study, options) => (await import('../run-stream.ts')).runStream(study, options),
  },
  certify: {
    offers: 'every variant',
    options: withOwn(CERTIFY_OPTIONS, [MU]),
    lacks,
    async does(study, options) {
      budgetOf(options);
      const features = dimensionOf(options);
      const request = (variant: string) => study.request(streamRequest(study, { variant, features }, options));
      return certificatesOf(study.protocol, { variants: study.variants, request }, options);
    },
  },
  audit: {
    offers: 'the first step',
    options: withOwn(AUDIT_OPTIONS, [MU], 6),
    lacks,
    async does(study, options) {
      const { variant = study.variants[0] } = options;
      const grade = readGrade(options.grade);
      const { delta } = budgetOf(options);
      const request = streamRequest(study, { variant, features: dimensionOf(options), grade }, options);
      return { request, variant, grade, delta };
    },
  },
  forecast: {
    offers: 'the error of a coordinate, its interval',
    options: withOwn(FORECAST_OPTIONS, [
      MU,
      option('--spread <number>', 'standard deviation of a residual (default: 0.5)'),
    ]),
    lacks,
    does: forecastStream,
  },
};
