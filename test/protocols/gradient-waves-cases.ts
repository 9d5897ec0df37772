import { gradientWaves, gradientWavesPlan } from '../../protocols/gradient-waves/index.ts';
import type { GradientWavesRequest, Wave, WaveDatum } from '../../protocols/gradient-waves/parameters.ts';
import type { WaveTally } from '../../protocols/gradient-waves/server.ts';
import { conduct } from '../../src/simulation/runner.ts';
import type { ContractCase } from '../../src/testing/contract/law.ts';
import { floatsOf, hingeCase, records } from './hinge-cases.ts';
import type { RoundContent } from './round-protocol.ts';

/** A request for few players and little time. */
export function smallRequest(change: Partial<GradientWavesRequest> = {}): GradientWavesRequest {
  return { variant: 'hinge', epsilon: 2, dimension: 3, radius: 2, waves: 4, riskShare: 0.2, ...change };
}

/** The waves of the plans that were played. */
const played = new Map<string, readonly Wave[]>();

function wavesOf(request: GradientWavesRequest): readonly Wave[] {
  const plan = gradientWavesPlan(request);
  const data = records(40, plan.dimension, 'answers');
  const population = { players: 1000, datum: (i: number) => data[i % data.length] };
  return conduct(gradientWaves, plan, population, { seed: 'waves' }).finished.map(({ round }) => round);
}

/** The wave of a plan with this number, after those before it were played. */
export function waveOf(request: GradientWavesRequest, round: number): Wave {
  const key = JSON.stringify(request);
  const waves = played.get(key) ?? wavesOf(request);
  played.set(key, waves);
  return structuredClone(waves[round]);
}

/** The case of one wave of a request, and the waves its reports must not be taken for. */
export function waveCase(
  request: GradientWavesRequest,
  round: number,
): ContractCase<Wave, WaveDatum, WaveTally, RoundContent, undefined> {
  const { dimension, epsilon, variant, grade = 'simulation' } = request;
  const made = waveOf(request, round);
  const { refused } = hingeCase({ variant: 'lifted', epsilon, degree: 1, dimension });
  const changes: readonly Partial<GradientWavesRequest>[] = [
    { epsilon: 1.5 * epsilon },
    { radius: 2.5 },
    { waves: 5 },
    { riskShare: 0.25 },
    { variant: variant === 'hinge' ? 'logistic' : 'hinge' },
    { dimension: dimension + 1 },
  ];
  return {
    name: `${variant}, ${grade}, ε = ${epsilon}, dimension ${dimension}, wave ${round}`,
    make: () => structuredClone(made),
    others: [
      waveOf(request, round === 0 ? 1 : 0),
      ...changes.map((change) => waveOf({ ...request, ...change }, round)),
    ],
    data: records(11, dimension, `contract ${dimension}`),
    refused,
    content: (_, { players, sums }) => [players, ...sums],
    numbers: ({ numbers }) => numbers,
    exact: false,
    // Sums of a few dozen reports in another order.
    tolerance: 1e-9,
    ...floatsOf('gradient-waves', made.precision),
  };
}
