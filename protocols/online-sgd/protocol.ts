import type { SequentialProtocol } from '../../src/core/sequential.ts';
import type { OnlineDatum } from '../../src/risk/regression/record.ts';
import { onlineAuditing } from './auditing.ts';
import type { OnlineEstimate, OnlineQuery } from './estimate.ts';
import { type OnlineSgdRequest, onlineSgdPlan } from './parameters.ts';
import type { OnlinePlan, OnlineStep } from './plan.ts';
import { player } from './player.ts';
import type { OnlineReport } from './report.ts';
import { report } from './report.ts';
import { server } from './server.ts';
import { simulateStream } from './simulate.ts';
import type { OnlineState } from './state.ts';
import { theory } from './theory.ts';

/**
 * Online gradient descent with locally private gradients, averaged, with confidence intervals at every moment.
 *
 * Source: Xie, Shi, Jiang, Kong, He, Online differentially private inference in stochastic gradient descent; and the
 * non-asymptotic analysis of LDP-SGD and LDP-ASGD.
 * @theorem online-inference (2.3)
 * @theorem online-inference Table 3
 * @theorem online-rates (3.2)
 * @theorem online-rates Figure 5
 * @theorem online-rates Figure 6
 * @theorem online-rates Figure 7
 * @theorem online-rates Figure 8
 * @theorem online-rates Figure 9
 */
export const onlineSgd: SequentialProtocol<
  OnlinePlan,
  OnlineStep,
  OnlineDatum,
  OnlineReport,
  OnlineState,
  OnlineEstimate,
  OnlineQuery
> = {
  name: 'online-sgd',
  player,
  report,
  server,
  theory,
  simulate: simulateStream,
  auditing: onlineAuditing,
  // The variants check every field, whatever its kind.
  make: (request) => onlineSgdPlan(request as unknown as OnlineSgdRequest),
};
