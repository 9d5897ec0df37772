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
      variant: 'naive',
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
      variant: 'printedNaive',
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
      variant: 'printed',
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
      variant: 'twoRound',
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
      variant: 'twoRound',
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
      variant: 'oneBit',
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
      variant: 'oneBit',
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
  {
    request: {
      variant: 'printed',
      delta: 0.000001,
      epsilon: 4,
      players: 400,
      samples: 16,
      dimension: 3,
    },
    digest: '60674ee90c6aa9a828c08450a4db427c',
    rounds: ['30fc6eaea53d67f7c84a57174d32d0f5', 'd9dd5409311151c83f6bd4ea5ce27bca'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616e30fc6eaea53d67f7c84a57174d32d0f50400000000000000010000000100000000000000',
      '4c44504b0101080f757365722d6c6576656c2d6d65616ed9dd5409311151c83f6bd4ea5ce27bca0400000072abb28cca4f0ec00a372803a33753c0f0abdb3ddb6a5940ef30411c64486040',
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
    digest: '9dabc838495be2f5c904e9ff46b121bb',
    rounds: ['6af4eb5246412f2324e8f440059b86d5', 'b78bceaf98b90cd0d09c78fc5a8dd602'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616e6af4eb5246412f2324e8f440059b86d50400000000000000010000000100000000000000',
      '4c44504b0101080f757365722d6c6576656c2d6d65616eb78bceaf98b90cd0d09c78fc5a8dd60204000000bb0179d45fd1e03f105d243531c31cc018435a043ff42140674980c276f12940',
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
    digest: 'f1c93dcb600766129957722a8b9f119c',
    rounds: ['abd1fd09ef4c24451d64c6b94f91d54f', 'd7d688ad1484c73e8eef78848d93b7d3'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616eabd1fd09ef4c24451d64c6b94f91d54f02000000010000000c000000',
      '4c44504b0101040f757365722d6c6576656c2d6d65616ed7d688ad1484c73e8eef78848d93b7d3040000000c3080be3fad333e1ccf80bf0827843e',
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
    digest: 'b133ed34d98bac1faa11513bcbbd0968',
    rounds: ['e4588834e2f651fd80950ec0359ef90f', '92d72538650a71acbbadfe808b35f35a'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616ee4588834e2f651fd80950ec0359ef90f03000000010000000100000004000000',
      '4c44504b0101040f757365722d6c6576656c2d6d65616e92d72538650a71acbbadfe808b35f35a0400000004acc9be9dac7d3ee00f97bf737fd53e',
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
    digest: 'd96532d2afd931aaab2439c3b7dee00f',
    rounds: ['fedfab7d08f15fa359a58fe5e7c79591', '254b8d0456abfd0a05073cf86e354462'],
    reports: [
      '4c44504b0101040f757365722d6c6576656c2d6d65616efedfab7d08f15fa359a58fe5e7c7959104000000f98aaabf6ba994bf295282bfab77ab3f',
      '4c44504b0101040f757365722d6c6576656c2d6d65616e254b8d0456abfd0a05073cf86e3544620300000039ce49bed5fbd1c0ac011241',
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
    digest: 'eebaf2d5998811421545d8a6bbfde209',
    rounds: ['7f0ed22e782e6a6d5e82c2b42c73ad78', '22ed140e0672a10bfe9d05f57212a087'],
    reports: [
      '4c44504b0101060f757365722d6c6576656c2d6d65616e7f0ed22e782e6a6d5e82c2b42c73ad78020000000100000008000000',
      '4c44504b0101060f757365722d6c6576656c2d6d65616e22ed140e0672a10bfe9d05f57212a08704000000c17725f29a5bbff9b2a5f0c802000000',
    ],
    estimate: {
      players: 400,
      mean: 0.24314719809229607,
      standardError: 0.015395203532231604,
    },
  },
];
