import { refusal } from '../../../check/number.ts';
import type { ModelStudy } from '../../../simulation/model-study.ts';
import { forecastModel } from '../../models/forecast.ts';
import type { RefutedDocument } from '../../models/refuted.ts';
import { modelRequest } from '../../models/request.ts';
import { budgetOf, certificatesOf } from '../certificates.ts';
import { elsewhere } from '../elsewhere.ts';
import type { Refuted, StudyKind } from '../kind.ts';
import { readGrade, readWords } from '../number-option.ts';
import { AUDIT_OPTIONS, CERTIFY_OPTIONS, FORECAST_OPTIONS, option, withOwn } from '../options.ts';
import type { CertifyOptions } from '../player-options.ts';

const MU = option('--mu <number>', 'μ of one record, where a curator holds the records (default: 1)');
const SAMPLES = option('--samples <number>', 'records of each player, where players have several');
// Each protocol has a size of its own for each command.
const FEATURES = option(
  '--dimension <number>',
  'features of a record (default: 10, and few where an attack repeats all steps)',
);
const SIZES = [MU, FEATURES, option('--players <number>', 'players, or records of a curator'), SAMPLES];

const lacks = (protocol: string, name: string): string =>
  elsewhere(protocol, name) ?? `the model of ${protocol} is fixed`;

/** Models that are fitted in rounds, or on the records of a trusted curator. */
export const models: StudyKind<ModelStudy> = {
  certify: {
    offers: 'every variant, or why a claim does not hold',
    options: withOwn(CERTIFY_OPTIONS, SIZES),
    lacks,
    async does(study, options) {
      if (study.refuted !== undefined) return refutedOf(study, options);
      const request = (variant: string) => study.request(modelRequest(study, variant, options, study.defaults.certify));
      return certificatesOf(study.protocol as never, { variants: study.variants, request }, options);
    },
  },
  audit: {
    offers: 'all that is released, or the transcript',
    options: withOwn(
      AUDIT_OPTIONS,
      [...SIZES, option('--round <list>', 'what of a protocol in rounds to attack: transcript (default: transcript)')],
      6,
    ),
    lacks,
    async does(study, options) {
      const { variant = study.variants[0] } = options;
      const request = modelRequest(study, variant, options, study.defaults.audit);
      const { delta } = budgetOf(options);
      return { request, variant, grade: readGrade(options.grade), delta, central: study.setting === 'central' };
    },
  },
  forecast: {
    offers: 'how far noise moves the fit',
    has: ({ forecast }) => forecast !== undefined,
    options: withOwn(FORECAST_OPTIONS, [MU, FEATURES, SAMPLES]),
    lacks,
    does: async (study, options) => forecastModel(study.protocol.name, study, options),
  },
};

function refutedOf(study: ModelStudy, options: CertifyOptions): Refuted {
  const { name } = study.protocol;
  if (options.html !== undefined) {
    throw new RangeError(refusal('html', `none: there is nothing to certify of ${name}`, options.html));
  }
  const variants = options.variant === undefined ? study.variants : readWords('variant', options.variant);
  const refuted = variants.flatMap((variant): RefutedDocument[] => {
    const found = study.refuted?.(modelRequest(study, variant, options, study.defaults.certify));
    return found === undefined ? [] : [{ protocol: name, variant, holds: false, ...found }];
  });
  return { refuted };
}
