import type { GeneralizedLinearRequest } from '../../protocols/generalized-linear/parameters.ts';
import type { MarginDatum } from '../../protocols/generalized-linear/player.ts';
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
    digest: 'eb3c4a12f83405b338a2d5755c6159fb',
    datum: {
      features: [0.48, -0.36, 0.6],
      label: -1,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e656172eb3c4a12f83405b338a2d5755c6159fb0a00000073d29abfb06b81be6a0890bf4a3a2b3febc60ac0434384bf4745aa3e92379bbfad05ccbdd2b52ebf',
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
    digest: '25040a0beaf02bd92596c8d446402397',
    datum: {
      features: [0.48, -0.36],
      label: 0.25,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e65617225040a0beaf02bd92596c8d44640239714000000b0a0b0bf5951a1bf464b78bfb1637f3fab7b7cc0349c28c03211f33ec681fabf573d39bfb16636c06fa810bee6304a3e8d4bc63dd79176c06b7cc73f72e909c0eb29243f2d8af73e5d24043f3af0063f',
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
    digest: '3c6fc3598fb5ba75d807168a715d1ba7',
    datum: {
      features: [0.48, -0.36, 0.6],
      label: -1,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e6561723c6fc3598fb5ba75d807168a715d1ba703000000c89b37bf56e65ec0c56e8c40',
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
    digest: 'b86f373f2ab76372dd12e32a0c74ac5f',
    datum: {
      features: [0.48, -0.36],
      label: 0.25,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e656172b86f373f2ab76372dd12e32a0c74ac5f030000002693593ea1e413c0bb263640',
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
    digest: '46ac7dab98e4a95589430a1f31fc8fde',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e65617246ac7dab98e4a95589430a1f31fc8fde020000003479f9be6754783e',
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
    digest: '844c8a8591b14c1f969ecbe1c8f31599',
    datum: {
      features: [0.48, -0.36, 0.6],
      label: -1,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e656172844c8a8591b14c1f969ecbe1c8f31599030000008b8bf8be21348b3ee7a1f8be',
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
    digest: 'a9ae8df1c91c4767edc1e0cde300c61e',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e656172a9ae8df1c91c4767edc1e0cde300c61e060000003df0c73bce9600c11af10f4160d45441b40a1d411ad6b340',
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
    digest: '6726cedc7afb976cc0313d0b53f60b92',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e6561726726cedc7afb976cc0313d0b53f60b920c0000006ca825bf27f294c15c9db5414137b8421bb59042465a38427d9af5c1826db142a73f8bc25387acc171ab2fc0853447c2',
    estimate: {
      w: [-0.0004953578337999805, 0.00043367972143893704],
      degree: 2,
      coefficients: [-0.49999999999999994, 0.1447582389899665, 4.232046198860581e-17],
      risk: 0.685377001154476,
      standardError: 0.026864311561178578,
    },
  },
  {
    request: {
      variant: 'sampled',
      epsilon: 2,
      degree: 2,
      dimension: 3,
    },
    digest: '2f94e5e7bafbf70a1e51791326f024f6',
    datum: {
      features: [0.48, -0.36, 0.6],
      label: -1,
    },
    report:
      '4c44504b0101041267656e6572616c697a65642d6c696e6561722f94e5e7bafbf70a1e51791326f024f60c000000fe4531bf705fd4bef33abb3e99ee02c0c42c99bfa75c923dacab75bf721ae2becbc2a8bf98a040be1aaa083f00004040',
    estimate: {
      w: [0.18218970777093954, -0.7558652093500412, -0.6288677887096447],
      degree: 1,
      coefficients: [-0.46976593449866483, 0.027992192070147734],
      risk: 0.4576305684390999,
      standardError: 0.13484321816948988,
    },
  },
  {
    request: {
      variant: 'sampled',
      epsilon: 4,
      degree: 1,
      dimension: 2,
      task: 'regression',
      grade: 'deployment',
    },
    digest: 'ccb6ac7e6350b3ea07dae22da51785be',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101061267656e6572616c697a65642d6c696e656172ccb6ac7e6350b3ea07dae22da51785be05000000b2a5f0c8bf4ee5a3bae2bdbf3f00000002000000',
    estimate: {
      w: [0.6139890630856033, 0.7160601052453913],
      degree: 1,
      coefficients: [0, 1],
      risk: 0.1961091909333965,
      standardError: 0.18987408286757884,
    },
  },
];
