import type { MarginDatum } from '../../protocols/generalized-linear/player.ts';
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
    digest: 'd365951935d0f75fbe31fb92fca5d16a',
    datum: {
      features: [0.48, -0.36, 0.6],
      label: -1,
    },
    report:
      '4c44504b0101040568696e6765d365951935d0f75fbe31fb92fca5d16a0a00000073d29abfb06b81be6a0890bf4a3a2b3febc60ac0434384bf4745aa3e92379bbfad05ccbdd2b52ebf',
    estimate: {
      w: [0.6072809068689714, -0.08554014078841311, -0.38549952304065355],
      degree: 1,
      coefficients: [-0.8930130418682657, 0.13125911550353156],
      risk: 0.06030246676912049,
      standardError: 0.1428632590178652,
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
    digest: 'dbcae78b67a702120c39dbe71128c9b0',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101040568696e6765dbcae78b67a702120c39dbe71128c9b00a000000779a68bf7deca23d54c931bd0784043d813e69bf840544bfe78f5d3eafe814bf581324be45aa273f',
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
    digest: '6f0328a78968ba3cf37306c8deb2f4b3',
    datum: {
      features: [0.48, -0.36, 0.6],
      label: -1,
    },
    report: '4c44504b0101040568696e67656f0328a78968ba3cf37306c8deb2f4b303000000c89b37bf56e65ec0c56e8c40',
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
    digest: 'd03bcf208e3e0c2010e7acec432dbf37',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101040568696e6765d03bcf208e3e0c2010e7acec432dbf37060000004d60af3e9f8f25c0d53dfd3fcd8b8440c0f322404ef0783f',
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
    digest: 'f292f9f875e3f42e453448c55815dda4',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101040568696e6765f292f9f875e3f42e453448c55815dda40c00000022a0ad3e1d1b29c0b83afb3f93ef3e41deaa0b41465a9c4035b95ac044632c41a73f19c10ba611c08f7928bf8534e3c0',
    estimate: {
      w: [-0.0001993023321678296, 0.00038799812935481323],
      degree: 2,
      coefficients: [-0.929101551942541, 0.5384589134406553, 0.5203138059260527],
      risk: 0.50494479381067,
      standardError: 0.0006072221002301453,
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
    digest: '1480da2eb9edbcdbf840d4b93c813d13',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101080568696e67651480da2eb9edbcdbf840d4b93c813d130300000068cf84eb51b8de3fd9dba8703d0ad7bf11befcffffffefbf',
    estimate: {
      w: [0.3372621837827499, 0.03711410287568032],
      degree: 0,
      coefficients: [-0.6689446489795146],
      risk: 0.43774069754287304,
      standardError: 0.005952204773656099,
    },
  },
  {
    request: {
      variant: 'sampled',
      epsilon: 2,
      degree: 2,
      dimension: 3,
    },
    digest: '66d3197715fdb606c420ba106666f54b',
    datum: {
      features: [0.48, -0.36, 0.6],
      label: -1,
    },
    report:
      '4c44504b0101040568696e676566d3197715fdb606c420ba106666f54b0c000000fe4531bf705fd4bef33abb3e99ee02c0c42c99bfa75c923dacab75bf721ae2becbc2a8bf98a040be1aaa083f00004040',
    estimate: {
      w: [0.10345271169534909, -0.5550141165337186, -0.47707795246256324],
      degree: 2,
      coefficients: [-0.9068855361836838, 0.13823128149523714, 0.03769137949872911],
      risk: 0.17023780082207812,
      standardError: 0.19219870339396697,
    },
  },
  {
    request: {
      variant: 'sampled',
      epsilon: 4,
      degree: 1,
      dimension: 2,
      shares: [3, 2],
      grade: 'deployment',
    },
    digest: '6e59450123a73838834f002124467fab',
    datum: {
      features: [0.48, -0.36],
      label: -1,
    },
    report:
      '4c44504b0101060568696e67656e59450123a73838834f002124467fab05000000b2a5f0c8bf4ee5a3bae2bdbf2200000002000000',
    estimate: {
      w: [0.5799288954205752, 0.6750800354143818],
      degree: 1,
      coefficients: [-0.9252915517327234, 0.32012119033698533],
      risk: 0.25803691285209357,
      standardError: 0.09828184271825395,
    },
  },
];
