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
      maker: 'naive',
      delta: 0.000001,
      epsilon: 1,
      players: 400,
      samples: 16,
    },
    digest: 'f538c23c70166554f337632a72aa1e1a',
    rounds: ['0cd9857ec9d2c67fac2122f0babff54d'],
    reports: ['4c44504b0101080f757365722d6c6576656c2d6d65616e0cd9857ec9d2c67fac2122f0babff54d010000001c995abe6810babf'],
    estimate: {
      players: 400,
      mean: 1.0223048756379465,
      standardError: 0.4298959299171942,
    },
  },
  {
    request: {
      maker: 'naive',
      delta: 0.000001,
      grade: 'deployment',
      epsilon: 1,
      players: 400,
      samples: 16,
    },
    digest: 'dab01db9e31cc8400e816e439d2b0507',
    rounds: ['73196705a9abc595c41ea798f5c7f50c'],
    reports: ['4c44504b0101050f757365722d6c6576656c2d6d65616e73196705a9abc595c41ea798f5c7f50c01000000c7e6feff'],
    estimate: {
      players: 400,
      mean: 0.7712774804977138,
      standardError: 0.43087102976572966,
    },
  },
  {
    request: {
      maker: 'printedNaive',
      delta: 0.000001,
      epsilon: 1,
      players: 400,
      samples: 16,
    },
    digest: '7c7b36301bcf05be55c19fd17112e990',
    rounds: ['3cbbb6557c94b248b03d3e51a6d07c44'],
    reports: ['4c44504b0101080f757365722d6c6576656c2d6d65616e3cbbb6557c94b248b03d3e51a6d07c440100000090ebe3478441af3f'],
    estimate: {
      players: 400,
      mean: 0.742098277272586,
      standardError: 0.27407508272332237,
    },
  },
  {
    request: {
      maker: 'printed',
      delta: 0.000001,
      epsilon: 1,
      players: 400,
      samples: 16,
    },
    digest: '9e2b03a9a4395ca2a915a03e25079212',
    rounds: ['7203b64ca505f61c2150a2b23aa39fb4', '4ec54db2066aca7ced0eb24e8144532f'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616e7203b64ca505f61c2150a2b23aa39fb40100000000000000',
      '4c44504b0101080f757365722d6c6576656c2d6d65616e4ec54db2066aca7ced0eb24e8144532f010000004ac4a9e69d5b20c0',
    ],
    estimate: {
      players: 400,
      mean: 8.832712328035592,
      standardError: 4.287522277726416,
    },
  },
  {
    request: {
      maker: 'twoRound',
      delta: 0.000001,
      epsilon: 1,
      players: 400,
      samples: 16,
    },
    digest: '680a97e6ef06f8add735733498023ddc',
    rounds: ['fb228be7756b19355582273f165a40a9', 'c865320de7e75b593077eb9f73caf81b'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616efb228be7756b19355582273f165a40a90100000000000000',
      '4c44504b0101080f757365722d6c6576656c2d6d65616ec865320de7e75b593077eb9f73caf81b010000001c995abe6810babf',
    ],
    estimate: {
      players: 280,
      mean: 1.0061189360387928,
      standardError: 0.5106251587899178,
    },
  },
  {
    request: {
      maker: 'twoRound',
      samePlayers: true,
      interval: 'triple',
      spread: 0.25,
      epsilon: 1,
      players: 400,
      samples: 16,
    },
    digest: 'f70b33baf56fb35b35e08a053df2ef05',
    rounds: ['7900497600c7a569a7711110aa3f000f', '143fd37de9c54ecf562c903082e04b50'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616e7900497600c7a569a7711110aa3f000f03000000000000000100000005000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616e143fd37de9c54ecf562c903082e04b500100000002000000',
    ],
    estimate: {
      players: 400,
      mean: 0.1227036446683889,
      standardError: 0.08694732519994701,
    },
  },
  {
    request: {
      maker: 'oneBit',
      epsilon: 1,
      players: 400,
      samples: 16,
    },
    digest: '0b94d9b3bc5c508ced433edcf71e3535',
    rounds: [
      'e008da9ad778c2abb66f43d1f2ac56cb',
      '78b34d627f1ebf7670807cff7226b451',
      '0f6ecc92f7425ed88092b86eae0a39bf',
      'a9a21acdc66aeec76f07a0572311c2e8',
      '8e063d1d2749bfad30e0cfcf5842b9ac',
      'bd0f36269144fc499e432cd7f26c9def',
      '178e3987dd6b8f5fda718e5c6db6d868',
    ],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616ee008da9ad778c2abb66f43d1f2ac56cb0100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616e78b34d627f1ebf7670807cff7226b4510100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616e0f6ecc92f7425ed88092b86eae0a39bf0100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616ea9a21acdc66aeec76f07a0572311c2e80100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616e8e063d1d2749bfad30e0cfcf5842b9ac0100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616ebd0f36269144fc499e432cd7f26c9def0100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616e178e3987dd6b8f5fda718e5c6db6d8680100000003000000',
    ],
    estimate: {
      players: 400,
      mean: 0.2500616003915005,
      standardError: 0.02038082325563491,
    },
  },
  {
    request: {
      maker: 'oneBit',
      spread: 0.25,
      pilot: 'bins',
      skew: 9,
      epsilon: 3,
      players: 400,
      samples: 16,
    },
    digest: '5df6eb8f8d54657aaf63b6222386b82c',
    rounds: [
      '2facadb4256add00df419eea453cd451',
      'c2553ed76e616ce38a638b686ff9dad2',
      '68f434dc47b7032d4f055ff2c485892b',
      'f05451a42b9472a01dbb6b92f9f9854c',
      '30cfbff4f9703dce6fc4935109b54dff',
    ],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616e2facadb4256add00df419eea453cd4510100000007000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616ec2553ed76e616ce38a638b686ff9dad20100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616e68f434dc47b7032d4f055ff2c485892b0100000003000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616ef05451a42b9472a01dbb6b92f9f9854c0100000001000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616e30cfbff4f9703dce6fc4935109b54dff0100000003000000',
    ],
    estimate: {
      players: 400,
      mean: 0.24432194942132177,
      standardError: 0.015392689247985477,
    },
  },
];
