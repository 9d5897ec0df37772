import { RefusedValue } from '../../src/check/refusal.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import type { Server } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { chebyshevSeries } from '../../src/polynomial/chebyshev.ts';
import { chebyshevToMonomial } from '../../src/polynomial/fit.ts';
import { hingeLoss, smoothedHinge } from '../../src/risk/margin-loss.ts';
import { marginServer } from '../generalized-linear/fit.ts';
import { gradientVariance } from '../generalized-linear/margin/channels.ts';
import type { CopiesParameters } from '../generalized-linear/margin/parameters.ts';
import type { MarginEstimate, MarginQuery } from '../generalized-linear/margin/query.ts';
import { walkEstimate } from '../generalized-linear/margin/walk.ts';
import {
  averagedGradients,
  BETAS,
  productGradients,
  type WalkModelOf,
} from '../generalized-linear/margin/walk-model.ts';
import type { HingeParameters } from './parameters.ts';

/**
 * The server of the hinge protocol: its estimate is the model that minimises the reconstructed hinge risk over ‖w‖ ≤ R, and
 * that risk. The servers that take one step per report follow algorithm 1: for `printed` as printed, for `copies` with the
 * better decoders, step sizes, degree and β that this variant allows (see `walkEstimate`).
 *
 * Source: Wang, Smith, Xu 2020, algorithm 1, lines 10–20.
 * @theorem noninteractive Algorithm 1
 */
export const server: Server<HingeParameters, ValuesReport, ChannelTally, MarginEstimate, MarginQuery> =
  /* @__PURE__ */ marginServer(/* @__PURE__ */ hingeLoss(), (made, reports, question) =>
    walkEstimate(made, reports, question, hingeWalk(made)),
  );

/** Radius of the widest interval of a Chebyshev series, in units of β. */
const MOST_WIDTHS = 2000;

/**
 * The polynomial in the place of f′_β that algorithm 1 uses: its Chebyshev series on [−R, R] truncated at the degree,
 * in monomials c_0 … c_d.
 *
 * Source: Wang, Smith, Xu 2020, definition 5 and algorithm 1, line 1.
 * @theorem noninteractive Algorithm 1
 */
export function chebyshevCoefficients(degree: number, beta: number, radius: number): Float64Array {
  const loss = smoothedHinge({ beta });
  // On a wider interval the kink is too sharp for the series to settle.
  if (radius > MOST_WIDTHS * beta) {
    throw new RefusedValue('radius', `at most ${MOST_WIDTHS}·β where the loss is expanded in a series`, radius);
  }
  const interval = { lower: -radius, upper: radius };
  return chebyshevToMonomial(chebyshevSeries(loss.derivative, degree, interval), interval);
}

/** What algorithm 1 puts in the place of f′, for every decoder: the polynomial of a degree and β, and its noise. */
export function hingeWalk(parameters: CopiesParameters): WalkModelOf {
  const { copies } = parameters;
  return (radius, { decoder }) => ({
    loss: hingeLoss(),
    radius,
    betas: BETAS,
    series: (degree, beta) => chebyshevCoefficients(degree, beta, radius),
    polynomial(coefficients, beta) {
      const { smoothness, value, derivative } = smoothedHinge({ beta });
      return {
        slope: coefficients,
        derivative,
        origin: value(0),
        smoothness,
        variance: (w, features) => gradientVariance(parameters, decoder, { coefficients, w, features, label: 1 }),
        oracle: (tally) =>
          decoder === 'product'
            ? productGradients(copies, coefficients, tally)
            : averagedGradients(copies, coefficients, tally, decoder),
      };
    },
  });
}
