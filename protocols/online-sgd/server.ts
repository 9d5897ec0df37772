import type { SequentialServer } from '../../src/core/sequential.ts';
import { estimateStream, type OnlineEstimate, type OnlineQuery } from './estimate.ts';
import type { OnlinePlan, OnlineStep } from './plan.ts';
import type { OnlineReport } from './report.ts';
import { restoreStream, saveStream, streamFromJson, streamToJson } from './saved.ts';
import { acceptReport, nextStep, type OnlineState, startStream } from './state.ts';

/**
 * The server of online gradient descent.
 *
 * @theorem online-inference (2.3)
 * @theorem online-rates (3.2)
 */
export const server: SequentialServer<OnlinePlan, OnlineStep, OnlineReport, OnlineState, OnlineEstimate, OnlineQuery> =
  {
    start: startStream,
    step: nextStep,
    accept: acceptReport,
    estimate: estimateStream,
    save: saveStream,
    restore: restoreStream,
    toJson: streamToJson,
    fromJson: streamFromJson,
  };
