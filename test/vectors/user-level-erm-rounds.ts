import type { ErmRequest } from '../../protocols/user-level-erm/index.ts';

/** One descent as it was recorded. */
export interface FrozenDescent {
  readonly request: ErmRequest;
  /** Digest of the plan. */
  readonly digest: string;
  /** The report of player 7 in the first round with the coins of seed `frozen`, in hexadecimal. */
  readonly report: string;
  /** What all players say. */
  readonly estimate: {
    readonly theta: readonly number[];
    readonly gradient: readonly number[];
    readonly gradientError: number;
    readonly distance: number;
  };
}

/** The recorded descents. */
export const descents: readonly FrozenDescent[] = [
  {
    request: {
      epsilon: 2,
      players: 900,
      samples: 2,
      dimension: 2,
      loss: 'logistic',
      radius: 2,
      strongConvexity: 0.05,
      iterations: 4,
      force: true,
    },
    digest: 'd19ca6e91ce7135c36d964abed5fa55a',
    report: '4c44504b0101060e757365722d6c6576656c2d65726dee87596b9519fb5d48d19f5b2be5e5b50100000003000000',
    estimate: {
      theta: [0.021988121267604136, 0.004450469368673592],
      gradient: [-0.004170785538429493, 0.003824840546626387],
      gradientError: 0.009665775256056046,
      distance: 0.3064965233435947,
    },
  },
  {
    request: {
      epsilon: 2,
      players: 900,
      samples: 2,
      dimension: 3,
      loss: 'huber',
      radius: 2,
      strongConvexity: 0.2,
      iterations: 4,
      force: true,
      grade: 'deployment',
    },
    digest: 'f8414abce1ca2fe40af2440979dc68bb',
    report: '4c44504b0101060e757365722d6c6576656c2d65726df1567f1fd8a903b59a183489f28079570100000003000000',
    estimate: {
      theta: [0.002530824860289718, 0.018106152818742727, 0.0038007501330060015],
      gradient: [-0.0037792512387738566, -0.01569857445419632, -0.007272993189895265],
      gradientError: 0.05187279722906212,
      distance: 0.3479112065646978,
    },
  },
  {
    request: {
      epsilon: 20,
      players: 200,
      samples: 2,
      dimension: 2,
      loss: 'squared',
      radius: 1,
      strongConvexity: 0.2,
      iterations: 3,
      samePlayers: true,
      delta: 0.000001,
      force: true,
    },
    digest: '92c6ae0593c0668ecb033fa4942a6d21',
    report: '4c44504b0101060e757365722d6c6576656c2d65726db21715f440102b2fd824571ae620af030100000003000000',
    estimate: {
      theta: [-0.010525910246516616, -0.021821604971662134],
      gradient: [-0.0005333235085745384, 0.011693584910484427],
      gradientError: 0.022388405256858004,
      distance: 0.17047072907691718,
    },
  },
];
