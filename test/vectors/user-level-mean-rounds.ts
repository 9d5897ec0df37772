import type { UserLevelMeanRequest } from '../../protocols/user-level-mean/index.ts';

/** A plan played by 400 players as it was recorded. */
export interface FrozenPlan {
  readonly request: UserLevelMeanRequest;
  /** Digest of the plan. */
  readonly digest: string;
  /** Digests of its rounds. */
  readonly rounds: readonly string[];
  /** In each round the bytes of player 7's report with the coins of seed `frozen`, in hexadecimal. */
  readonly reports: readonly string[];
  /** What the rounds say. */
  readonly estimate: { readonly players: number; readonly mean: number; readonly standardError: number };
}

/** The recorded plans. */
export const plans: readonly FrozenPlan[] = [
  {
    request: {
      variant: 'naive',
      delta: 0.000001,
      epsilon: 1,
      players: 400,
      samples: 16,
    },
    digest: '493f00f8c65bc1fc127cd2e084cd4011',
    rounds: ['735f7a2ad03688417ac72c376ab88fbe'],
    reports: ['4c44504b0101080f757365722d6c6576656c2d6d65616e735f7a2ad03688417ac72c376ab88fbe010000001c995abe6810babf'],
    estimate: {
      players: 400,
      mean: 1.0223048756379465,
      standardError: 0.4298959299171942,
    },
  },
  {
    request: {
      variant: 'naive',
      delta: 0.000001,
      grade: 'deployment',
      epsilon: 1,
      players: 400,
      samples: 16,
    },
    digest: '265cf9e5db0aededf818210384445281',
    rounds: ['eb9cb6936bb5a668e0ce1db0c1c4e921'],
    reports: ['4c44504b0101050f757365722d6c6576656c2d6d65616eeb9cb6936bb5a668e0ce1db0c1c4e92101000000c7e6feff'],
    estimate: {
      players: 400,
      mean: 0.7712774804977138,
      standardError: 0.43087102976572966,
    },
  },
  {
    request: {
      variant: 'printedNaive',
      delta: 0.000001,
      epsilon: 1,
      players: 400,
      samples: 16,
    },
    digest: '5848068a4d188daed65414cbc1c20698',
    rounds: ['46e6dd6af0c9cd39db599a109fc7991c'],
    reports: ['4c44504b0101080f757365722d6c6576656c2d6d65616e46e6dd6af0c9cd39db599a109fc7991c0100000090ebe3478441af3f'],
    estimate: {
      players: 400,
      mean: 0.742098277272586,
      standardError: 0.27407508272332237,
    },
  },
  {
    request: {
      variant: 'printed',
      delta: 0.000001,
      epsilon: 1,
      players: 400,
      samples: 16,
    },
    digest: 'cc159f2744b43415347cd5e73f866282',
    rounds: ['981abab2cbc6de20ca48448ced32f758', '8a11d0a9cd0994233606bf409fd17135'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616e981abab2cbc6de20ca48448ced32f7580100000000000000',
      '4c44504b0101080f757365722d6c6576656c2d6d65616e8a11d0a9cd0994233606bf409fd17135010000004ac4a9e69d5b20c0',
    ],
    estimate: {
      players: 400,
      mean: 8.832712328035592,
      standardError: 4.287522277726416,
    },
  },
  {
    request: {
      variant: 'twoRound',
      delta: 0.000001,
      epsilon: 1,
      players: 400,
      samples: 16,
    },
    digest: '54af1130fb52b00a2661a59882f97df8',
    rounds: ['b163f46b5011316821f54ad706c4d1b2', '5393a0efc86f6cc67ebec4554882693c'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616eb163f46b5011316821f54ad706c4d1b20100000000000000',
      '4c44504b0101080f757365722d6c6576656c2d6d65616e5393a0efc86f6cc67ebec4554882693c010000001c995abe6810babf',
    ],
    estimate: {
      players: 280,
      mean: 1.0061189360387928,
      standardError: 0.5106251587899178,
    },
  },
  {
    request: {
      variant: 'twoRound',
      samePlayers: true,
      interval: 'triple',
      spread: 0.25,
      epsilon: 1,
      players: 400,
      samples: 16,
    },
    digest: 'd7e82c3f9440ad464ce61322a87439fd',
    rounds: ['7144c78c24c0713508e3890950b2aac4', 'be84a96cfbfd06bc016833d20f43606d'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616e7144c78c24c0713508e3890950b2aac403000000000000000100000005000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616ebe84a96cfbfd06bc016833d20f43606d0100000002000000',
    ],
    estimate: {
      players: 400,
      mean: 0.1227036446683889,
      standardError: 0.08694732519994701,
    },
  },
  {
    request: {
      variant: 'oneBit',
      epsilon: 1,
      players: 400,
      samples: 16,
    },
    digest: 'f8a11f0be864abc4943ca7d43d3fd2b9',
    rounds: [
      'a54199c559125d1a984b13480d88a0f9',
      '797de9cfc68d2c220c0140d6d237af6b',
      '2b292f21c1159ec4bfe05976b84b010f',
      'd5915657ba42c22ff0b1fc32db124179',
      'f77b4016f4166466c26c979e0f52e81d',
      '75cc8aec9c0399d6124766c88ea7b762',
      'f486c18bbdb53aaadb1ea264d7840698',
    ],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616ea54199c559125d1a984b13480d88a0f90100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616e797de9cfc68d2c220c0140d6d237af6b0100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616e2b292f21c1159ec4bfe05976b84b010f0100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616ed5915657ba42c22ff0b1fc32db1241790100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616ef77b4016f4166466c26c979e0f52e81d0100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616e75cc8aec9c0399d6124766c88ea7b7620100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616ef486c18bbdb53aaadb1ea264d78406980100000003000000',
    ],
    estimate: {
      players: 400,
      mean: 0.2500616003915005,
      standardError: 0.02038082325563491,
    },
  },
  {
    request: {
      variant: 'oneBit',
      spread: 0.25,
      pilot: 'bins',
      skew: 9,
      epsilon: 3,
      players: 400,
      samples: 16,
    },
    digest: '18b6f82d790b127664ad7131572e385d',
    rounds: [
      'f19e698b18364f2ab35783a22f9e5aa2',
      '4fe3897e37d7e8d90985c685a74b9d20',
      'e026a02ddced1aedc76fdce5d0a611bb',
      'e617251f74cfa85e2b4328ef5d01576b',
      '4f133c9bc7f7bbca479185273bafe328',
    ],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616ef19e698b18364f2ab35783a22f9e5aa20100000007000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616e4fe3897e37d7e8d90985c685a74b9d200100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616ee026a02ddced1aedc76fdce5d0a611bb0100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616ee617251f74cfa85e2b4328ef5d01576b0100000001000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616e4f133c9bc7f7bbca479185273bafe3280100000003000000',
    ],
    estimate: {
      players: 400,
      mean: 0.24432194942132177,
      standardError: 0.015392689247985477,
    },
  },
  {
    request: {
      variant: 'printed',
      delta: 0.000001,
      epsilon: 4,
      players: 400,
      samples: 16,
      dimension: 3,
    },
    digest: 'deccad42313a11dd5113128711798934',
    rounds: ['e9565abedb28baf4fa9ffcd181ff9b67', 'e513ab506f96fafde9a2fb9b2b67f9af'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616ee9565abedb28baf4fa9ffcd181ff9b670400000000000000010000000100000000000000',
      '4c44504b0101080f757365722d6c6576656c2d6d65616ee513ab506f96fafde9a2fb9b2b67f9af0400000072abb28cca4f0ec00a372803a33753c0f0abdb3ddb6a5940ef30411c64486040',
    ],
    estimate: {
      players: 800,
      mean: -0.5617157758182523,
      standardError: 3.927883283632409,
    },
  },
  {
    request: {
      variant: 'printed',
      delta: 0.000001,
      calibration: 'exact',
      domain: 'ball',
      epsilon: 4,
      players: 400,
      samples: 16,
      dimension: 3,
    },
    digest: '5a2d04386160d4b3cbc1a5bc41c5bec5',
    rounds: ['40e78e899b980c5043021cfd562c045a', '732c0407a589a73d0dd5f3ef139a3222'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616e40e78e899b980c5043021cfd562c045a0400000000000000010000000100000000000000',
      '4c44504b0101080f757365722d6c6576656c2d6d65616e732c0407a589a73d0dd5f3ef139a322204000000bb0179d45fd1e03f105d243531c31cc018435a043ff42140674980c276f12940',
    ],
    estimate: {
      players: 800,
      mean: 0.2034575143620676,
      standardError: 0.22473350561585043,
    },
  },
  {
    request: {
      variant: 'twoRound',
      spread: 0.25,
      epsilon: 4,
      players: 400,
      samples: 16,
      dimension: 3,
    },
    digest: 'aa65b1592872fd7fbe12e6a4d4ee44f6',
    rounds: ['3fab129fb8bfb4ee5dc903fe75829b02', '9dca00b509c86582f484fc72e6a15792'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616e3fab129fb8bfb4ee5dc903fe75829b0202000000010000000c000000',
      '4c44504b0101040f757365722d6c6576656c2d6d65616e9dca00b509c86582f484fc72e6a15792040000000c3080be3fad333e1ccf80bf0827843e',
    ],
    estimate: {
      players: 400,
      mean: 0.2500521157083278,
      standardError: 0.007146637451655153,
    },
  },
  {
    request: {
      variant: 'twoRound',
      samePlayers: true,
      epsilon: 4,
      players: 400,
      samples: 16,
      dimension: 3,
    },
    digest: '6d3ac9f4180544306fc3c0074bdf4393',
    rounds: ['0f19cc87b1bac9d0f2869dc1502f9788', '9a1ad2f16cf8bef5124d21a9abfda1ad'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616e0f19cc87b1bac9d0f2869dc1502f978803000000010000000100000004000000',
      '4c44504b0101040f757365722d6c6576656c2d6d65616e9a1ad2f16cf8bef5124d21a9abfda1ad0400000004acc9be9dac7d3ee00f97bf737fd53e',
    ],
    estimate: {
      players: 800,
      mean: 0.22377566281698175,
      standardError: 0.014200037343323743,
    },
  },
  {
    request: {
      variant: 'twoRound',
      delta: 0.000001,
      form: 'gaussian',
      seed: 'other',
      epsilon: 1,
      players: 400,
      samples: 16,
      dimension: 3,
    },
    digest: 'ba7b0abd4d01117fa4a1c3e86469fb5b',
    rounds: ['9f37e1b25f2b4131445034566b0959f4', 'da4ce2fe7e522c652b98a142e306da12'],
    reports: [
      '4c44504b0101040f757365722d6c6576656c2d6d65616e9f37e1b25f2b4131445034566b0959f404000000f98aaabf6ba994bf295282bfab77ab3f',
      '4c44504b0101040f757365722d6c6576656c2d6d65616eda4ce2fe7e522c652b98a142e306da120300000039ce49bed5fbd1c0ac011241',
    ],
    estimate: {
      players: 400,
      mean: 0.31187197015984436,
      standardError: 0.15453645718032893,
    },
  },
  {
    request: {
      variant: 'twoRound',
      grade: 'deployment',
      epsilon: 4,
      players: 400,
      samples: 16,
      dimension: 3,
    },
    digest: 'fe6ed60aaf448ee4012a6bfca2c16f78',
    rounds: ['e38c7653f02c5eb931ad451336be71be', '8cc35f15c26f583b57089f9992976a84'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616ee38c7653f02c5eb931ad451336be71be020000000100000008000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616e8cc35f15c26f583b57089f9992976a8404000000c17725f29a5bbff9b2a5f0c802000000',
    ],
    estimate: {
      players: 400,
      mean: 0.24314719809229607,
      standardError: 0.015395203532231604,
    },
  },
];
