import type { MarginDatum } from '../../protocols/generalized-linear/margin/record.ts';
import type { HingeRequest } from '../../protocols/hinge/index.ts';
import type { FrozenRound } from './frozen-round.ts';

/** The recorded rounds. */
export const rounds: readonly FrozenRound<HingeRequest, MarginDatum>[] = [
  {
    request: {
      variant: 'lifted',
      epsilon: 2,
      degree: 1,
      dimension: 3,
    },
    digest: '1f73cdad0df30bb6c5da697ad5738b20',
    datum: {
      features: [0.48, -0.36, 0.6],
      label: -1,
    },
    report:
      '4c44504b0101040568696e67651f73cdad0df30bb6c5da697ad5738b200a00000073d29abfb06b81be6a0890bf4a3a2b3febc60ac0434384bf4745aa3e92379bbfad05ccbdd2b52ebf',
    estimate: {
      w: [0.8760803610224666, -0.14817262071743634, -0.45883338533771834],
      degree: 1,
      coefficients: [-0.8427449021006301, 0.17540748592048466],
      risk: -0.06809963336348612,
      standardError: 0.18759544855048,
    },
  },
  {
    request: {
      variant: 'lifted',
      epsilon: 4,
      degree: 2,
      dimension: 2,
      shares: [3, 2, 1],
    },
    digest: 'e88e66f278c28165663019b9b17d3310',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101040568696e6765e88e66f278c28165663019b9b17d33100a000000779a68bf7deca23d54c931bd0784043d813e69bf840544bfe78f5d3eafe814bf581324be45aa273f',
    estimate: {
      w: [0.9925864793230113, -0.12154045032477526],
      degree: 1,
      coefficients: [-0.9674124025775416, 0.13552736340021385],
      risk: -0.03284244534352476,
      standardError: 0.1281263787805587,
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
    digest: 'd6f1f57152596b2db4590cde1bae5004',
    datum: {
      features: [0.48, -0.36, 0.6],
      label: -1,
    },
    report: '4c44504b0101040568696e6765d6f1f57152596b2db4590cde1bae500403000000c89b37bf56e65ec0c56e8c40',
    estimate: {
      w: [0.2847765966139275, 0.9577127359691592, 0.041092643909286526],
      degree: 1,
      coefficients: [-0.7755392578405778, 0.0021661103426098257],
      risk: -0.4657031148731159,
      standardError: 0.48792002058853506,
    },
  },
  {
    request: {
      variant: 'copies',
      epsilon: 8,
      delta: 0.000001,
      degree: 1,
      dimension: 2,
    },
    digest: '5e8dc04059caf541dbc5aa6a0e8dae20',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101040568696e67655e8dc04059caf541dbc5aa6a0e8dae20060000004d60af3e9f8f25c0d53dfd3fcd8b8440c0f322404ef0783f',
    estimate: {
      w: [0.9969799780676667, -0.07765901964482107],
      degree: 1,
      coefficients: [-0.7570747648015693, 0.002144439585511015],
      risk: -0.17686606278122186,
      standardError: 0.4119160845216369,
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
    digest: 'b9f70b9d37836b086a88ec6c92f6b773',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101040568696e6765b9f70b9d37836b086a88ec6c92f6b7730c00000022a0ad3e1d1b29c0b83afb3f93ef3e41deaa0b41465a9c4035b95ac044632c41a73f19c10ba611c08f7928bf8534e3c0',
    estimate: {
      w: [0.00021729904862772704, -0.00012260733894576794],
      degree: 2,
      coefficients: [-0.929101551942541, 0.5384589134406553, 0.5203138059260527],
      risk: 0.5048354254698721,
      standardError: 0.00030985686772593907,
    },
  },
  {
    request: {
      variant: 'printed',
      epsilon: 1000000000000,
      delta: 0.000001,
      degree: 0,
      dimension: 2,
    },
    digest: 'caee0a10770d94b13e7d25d5bbade918',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101080568696e6765caee0a10770d94b13e7d25d5bbade9180300000068cf84eb51b8de3fd9dba8703d0ad7bf11befcffffffefbf',
    estimate: {
      w: [0.42316823126434416, 0.009722711080943502],
      degree: 0,
      coefficients: [-0.6689446489795146],
      risk: 0.4211440163761389,
      standardError: 0.007058947268867162,
    },
  },
];
