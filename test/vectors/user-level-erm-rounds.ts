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
    digest: '42f2f5d76811ccb671534c6d8e8707a5',
    report: '4c44504b0101060e757365722d6c6576656c2d65726d6850447f13acffffded7a6682f9c11aa0100000003000000',
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
    digest: '7cb49aa144a23af5a5e616bdee0f0c49',
    report: '4c44504b0101060e757365722d6c6576656c2d65726dd7cf36c65653380f403010603552907a0100000003000000',
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
    digest: '1ee0f67a13a99cca88dc0533814afc4b',
    report: '4c44504b0101060e757365722d6c6576656c2d65726dcda1fdfd999c6b3ca81260d142be76460100000003000000',
    estimate: {
      theta: [-0.010525910246516616, -0.021821604971662134],
      gradient: [-0.0005333235085745384, 0.011693584910484427],
      gradientError: 0.022388405256858004,
      distance: 0.17047072907691718,
    },
  },
];
