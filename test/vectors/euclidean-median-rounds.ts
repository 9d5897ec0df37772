import type { EuclideanMedianDatum, EuclideanMedianRequest } from '../../protocols/euclidean-median/parameters.ts';
import type { FrozenRound } from './frozen-round.ts';

/** The recorded rounds. */
export const rounds: readonly FrozenRound<EuclideanMedianRequest, EuclideanMedianDatum>[] = [
  {
    request: {
      variant: 'lifted',
      epsilon: 2,
      degree: 1,
      dimension: 2,
    },
    digest: '630f981052418be4eaf0023b05e9a818',
    datum: {
      point: [0.48, -0.36],
    },
    report:
      '4c44504b010104106575636c696465616e2d6d656469616e630f981052418be4eaf0023b05e9a8180a0000005063a6bd1bac8cbfd27489be3a1f393f18760ec03fce9abffe08d63ebd958fbf273fadbedd74c83e',
    estimate: {
      w: [0.5374717232693346, -0.2156953012703508],
      mean: [0.5525583972686225, -0.22087376444966517],
      degree: 1,
      coefficients: [0.004064146127196924, -0.0005954611242021778],
      risk: 0.0020238818153920373,
      standardError: 0.0013324769550001803,
    },
  },
  {
    request: {
      variant: 'lifted',
      epsilon: 4,
      degree: 2,
      dimension: 3,
      shares: [9, 8, 7, 6, 5, 4, 3, 2, 1],
    },
    digest: '5c324cae5cd2a2f353bc03be9ce13dc8',
    datum: {
      point: [0.48, -0.36, 0.6],
    },
    report:
      '4c44504b010104106575636c696465616e2d6d656469616e5c324cae5cd2a2f353bc03be9ce13dc823000000953c10bedb15febedd5dc93cce69133f058c6fbff4594bbfcbcf943e1764eabe9e33a2be868119bfeddbc43d1ac144bdad37423e922354bf4ab8e23ec60c1cbf6545783ed88f243ecf5f653dd460463e84a759be263a04bfdab12bbf8ed4d0befc4e5fbfb0d4503fcd20023f5362713ed3728bbf87b5423da975ffbfc0bd33bfc5c392bef02b4b3e9524853f',
    estimate: {
      w: [0.3740830969501419, -0.17359971289732157, -0.4198059795789349],
      mean: [0.3862015552869426, -0.1660546921080147, -0.4270147826572066],
      degree: 2,
      coefficients: [0.005320465980467845, -0.001027598072288532, 0.00008432048765128327],
      risk: 0.007639033151493837,
      standardError: 0.0008421929950652914,
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
    digest: '80504a88e6509a40ab0916ba7ff3192a',
    datum: {
      point: [0.48, -0.36, 0.6],
    },
    report:
      '4c44504b010104106575636c696465616e2d6d656469616e80504a88e6509a40ab0916ba7ff3192a030000001c9b783e697d86c02bd5b240',
    estimate: {
      w: [0.10335038997991342, 0.9931516481641955, 0.0544839484595402],
      mean: [0.10333598916956244, 0.993153033720871, 0.05448600695021216],
      degree: 1,
      coefficients: [0.0007697496862564759, 2.2761465324103127e-10],
      risk: 0.005873799294369717,
      standardError: 0.002653189463573701,
    },
  },
  {
    request: {
      variant: 'copies',
      epsilon: 8,
      delta: 0.000001,
      degree: 2,
      dimension: 2,
    },
    digest: '50fa244b2f4db100afaf0259aa7a69df',
    datum: {
      point: [0.48, -0.36],
    },
    report:
      '4c44504b010104106575636c696465616e2d6d656469616e50fa244b2f4db100afaf0259aa7a69df060000007d2db83e1cbd13c0d3984040ca8e394019424440c251a83f',
    estimate: {
      w: [0.07129611682992079, 0.2782790414025964],
      mean: [0.08148195716241993, 0.2679030945245176],
      degree: 2,
      coefficients: [0.6220957306206909, -0.004581676552991061, 0.00003689151060789482],
      risk: 0.2174007374778464,
      standardError: 0.1582513134793605,
    },
  },
  {
    request: {
      variant: 'printed',
      epsilon: 8,
      delta: 0.000001,
      degree: 2,
      dimension: 2,
    },
    digest: '7dd8f82322a1af88b42ad8dd0538d906',
    datum: {
      point: [0.48, -0.36],
    },
    report:
      '4c44504b010104106575636c696465616e2d6d656469616e7dd8f82322a1af88b42ad8dd0538d90606000000ec8e893e8d2372c02e929d4060bcab4096c9a04008502540',
    estimate: {
      w: [0.41481986320018355, -0.3557008762420922],
      mean: [0.13353054277598864, 0.4653597102345277],
      degree: 2,
      coefficients: [0.5000000000000002, 0.6265001708582675, 3.7184746384463785e-16],
      risk: 0.007694080669532191,
      standardError: 0.0019197442237629304,
    },
  },
  {
    request: {
      variant: 'gaussian',
      epsilon: 1000000000000,
      delta: 0.000001,
      degree: 0,
      dimension: 2,
    },
    digest: '0c0ea0fc02f23d13d5120063ca721867',
    datum: {
      point: [0.48, -0.36],
    },
    report:
      '4c44504b010108106575636c696465616e2d6d656469616e0c0ea0fc02f23d13d5120063ca721867020000004b2bc59a51b8de3f73c6ba8c420ad7bf',
    estimate: {
      w: [0.01272795780951983, 0.007071441217928803],
      mean: [0.01272795780951983, 0.007071441217928803],
      degree: 0,
      coefficients: [0.8779547615261479],
      risk: 0.21595721925035782,
      standardError: 8.571608076502811e-8,
    },
  },
];
