import type { TheoremValidation } from '../../experiment/experiment.ts';
import { average } from './average.ts';
import { clipping } from './clipping.ts';
import { covariance } from './covariance.ts';
import { dimension } from './dimension.ts';
import { examples } from './examples.ts';
import { functionalClt } from './functional-clt.ts';
import { lastIterate } from './last-iterate.ts';
import { averageLoss, lastLoss } from './loss.ts';
import { moments } from './moments.ts';
import { noiseLaws } from './noise-laws.ts';
import { plugIn } from './plug-in.ts';
import { plugInError } from './plug-in-error.ts';
import { randomScaling } from './random-scaling.ts';
import { singleStream } from './single-stream.ts';
import { start } from './start.ts';

/** Theorems of the two papers on online LDP-SGD, measured. */
export const validations: readonly TheoremValidation[] = [
  lastIterate,
  average,
  lastLoss,
  averageLoss,
  start,
  covariance,
  dimension,
  noiseLaws,
  clipping,
  moments,
  functionalClt,
  plugInError,
  plugIn,
  randomScaling,
  singleStream,
  examples,
];
