import type { Theory } from '../../src/core/contract.ts';
import { channelClaims } from './channel.ts';
import { forecast } from './forecast.ts';
import type { GradientWavesPlan } from './parameters.ts';

/** The claims about plans, and what to expect of them. */
export const theory: Theory<GradientWavesPlan> = { ...channelClaims, forecast };
