import type { GeneralizedLinearRequest } from '../../protocols/generalized-linear/index.ts';
import type { MarginDatum } from '../../protocols/generalized-linear/margin/record.ts';
import type { FrozenRound } from './frozen-round.ts';

/** The recorded rounds. */
export const rounds: readonly FrozenRound<GeneralizedLinearRequest, MarginDatum>[] = [
  {
    request: {
      variant: 'lifted',
      epsilon: 2,
      degree: 1,
      dimension: 3,
    },
    digest: 'c9c55bf982d867bf9fb7627b9925d0c7',
    datum: {
      features: [0.48, -0.36, 0.6],
      label: -1,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e656172c9c55bf982d867bf9fb7627b9925d0c70a00000073d29abfb06b81be6a0890bf4a3a2b3febc60ac0434384bf4745aa3e92379bbfad05ccbdd2b52ebf',
    estimate: {
      w: [0.8634275722995666, -0.1486896046857618, -0.48206247401272445],
      degree: 1,
      coefficients: [-0.4671921166206041, 0.025365565927103553],
      risk: 0.37289670448224826,
      standardError: 0.10296464514788528,
    },
  },
  {
    request: {
      variant: 'lifted',
      epsilon: 1,
      degree: 2,
      dimension: 2,
      task: 'regression',
    },
    digest: '098cc6f2646fe8dc07aff5a6a15e334f',
    datum: {
      features: [0.48, -0.36],
      label: 0.25,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e656172098cc6f2646fe8dc07aff5a6a15e334f14000000b0a0b0bf5951a1bf464b78bfb1637f3fab7b7cc0349c28c03211f33ec681fabf573d39bfb16636c06fa810bee6304a3e8d4bc63dd79176c06b7cc73f72e909c0eb29243f2d8af73e5d24043f3af0063f',
    estimate: {
      w: [0.22476832918076722, -0.11542765821097437],
      degree: 1,
      coefficients: [0, 1],
      risk: 0.6309004992248725,
      standardError: 0.48252859233433293,
    },
  },
  {
    request: {
      variant: 'gaussian',
      epsilon: 2,
      delta: 0.000001,
      degree: 1,
      dimension: 3,
    },
    digest: '2e4b4f327563a109e505d28ce3522fa4',
    datum: {
      features: [0.48, -0.36, 0.6],
      label: -1,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e6561722e4b4f327563a109e505d28ce3522fa403000000c89b37bf56e65ec0c56e8c40',
    estimate: {
      w: [0.2839820098603818, 0.9579429751876022, 0.04122468149522348],
      degree: 1,
      coefficients: [-0.4544187049124053, 0.00021157817370868456],
      risk: 0.1264006276710402,
      standardError: 0.28654775742625066,
    },
  },
  {
    request: {
      variant: 'gaussian',
      epsilon: 4,
      delta: 0.000001,
      degree: 1,
      dimension: 2,
      task: 'regression',
    },
    digest: '8159c4fb07f2927ae1dc260be4fdbd63',
    datum: {
      features: [0.48, -0.36],
      label: 0.25,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e6561728159c4fb07f2927ae1dc260be4fdbd63030000002693593ea1e413c0bb263640',
    estimate: {
      w: [0.0331488491822266, 0.07867757575512706],
      degree: 1,
      coefficients: [0, 1],
      risk: 1.0479507071457972,
      standardError: 1.3342300445331767,
    },
  },
  {
    request: {
      variant: 'sphericalLaplace',
      epsilon: 60,
      dimension: 2,
    },
    digest: '857bbac7c9b42eb5e5f07c0a687564d7',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e656172857bbac7c9b42eb5e5f07c0a687564d7020000003479f9be6754783e',
    estimate: {
      w: [0.9939855179720826, 0.10951159784137378],
      degree: 0,
      coefficients: [],
      risk: 0.5592853024952588,
      standardError: 0.012674210151182256,
    },
  },
  {
    request: {
      variant: 'sphericalLaplace',
      epsilon: 80,
      dimension: 3,
    },
    digest: '4f4a305245427e3fa5d2021fc355a40f',
    datum: {
      features: [0.48, -0.36, 0.6],
      label: -1,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e6561724f4a305245427e3fa5d2021fc355a40f030000008b8bf8be21348b3ee7a1f8be',
    estimate: {
      w: [0.9861722394194171, 0.10589728590198158, 0.1274757978483987],
      degree: 0,
      coefficients: [],
      risk: 0.5805732219357701,
      standardError: 0.01070155625788449,
    },
  },
  {
    request: {
      variant: 'copies',
      epsilon: 2,
      delta: 0.000001,
      degree: 1,
      dimension: 2,
    },
    digest: 'b9802d52e24e17cae5d836ffdd2000d4',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e656172b9802d52e24e17cae5d836ffdd2000d4060000003df0c73bce9600c11af10f4160d45441b40a1d411ad6b340',
    estimate: {
      w: [0.7847459998405938, -0.6198174858248087],
      degree: 1,
      coefficients: [-0.4857526818039711, 2.36677150148928e-8],
      risk: -2.0751338173685427,
      standardError: 2.768130554017017,
    },
  },
  {
    request: {
      variant: 'printed',
      epsilon: 1,
      delta: 0.000001,
      degree: 2,
      dimension: 2,
    },
    digest: '802c4f5c18600ee4e262d243a1aaefd8',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e656172802c4f5c18600ee4e262d243a1aaefd80c0000006ca825bf27f294c15c9db5414137b8421bb59042465a38427d9af5c1826db142a73f8bc25387acc171ab2fc0853447c2',
    estimate: {
      w: [-0.00023874662258041088, -0.000020282428092252748],
      degree: 2,
      coefficients: [-0.49999999999999994, 0.1447582389899665, 4.232046198860581e-17],
      risk: 0.6913115086088026,
      standardError: 0.006406949569946512,
    },
  },
];
