/** One frozen round of a simple statistic: fifty players with the same datum. */
export interface SurveyRound {
  readonly name: 'frequency' | 'mean';
  readonly request: object;
  readonly digest: string;
  readonly datum: unknown;
  /** The bytes of its report with the coins of seed `frozen`, in hexadecimal. */
  readonly report: string;
  readonly estimate: { readonly [field: string]: readonly number[] };
}

export const rounds: readonly SurveyRound[] = [
  {
    name: 'frequency',
    request: { variant: 'randomizedResponse', epsilon: 1, categories: 5 },
    digest: 'ae35293db5ad2d9e3d84e22741c70a62',
    datum: 2,
    report: '4c44504b010106096672657175656e6379ae35293db5ad2d9e3d84e22741c70a620100000003000000',
    estimate: {
      frequencies: [0, 0, 0.7503875769969743, 0.04660854081458014, 0.20300388218844556],
      unbiased: [
        -0.11279068274773077, -0.11279068274773077, 0.8255813654954615, 0.12180232931306731, 0.27819767068693274,
      ],
      standardErrors: [
        0.1968128174801221, 0.1968128174801221, 0.26541169543546855, 0.21243300749262425, 0.2290537786490232,
      ],
    },
  },
  {
    name: 'frequency',
    request: { variant: 'hadamardResponse', epsilon: 1, categories: 5, grade: 'deployment' },
    digest: '22453c731af03bceb4939e5d47fb0e2a',
    datum: 2,
    report: '4c44504b010106096672657175656e637922453c731af03bceb4939e5d47fb0e2a0100000005000000',
    estimate: {
      frequencies: [0, 0, 1, 0, 0],
      unbiased: [
        -0.08655813654954615, 0.08655813654954615, 1.2983720482431922, -0.5193488192972769, 0.1731162730990923,
      ],
      standardErrors: [
        0.30602922660527615, 0.30578430521621747, 0.2713924972003159, 0.30602922660527615, 0.30504836117636996,
      ],
    },
  },
  {
    name: 'frequency',
    request: { variant: 'subsetSelection', epsilon: 0.5, edges: [0, 1, 2, 4, 8, 16], grade: 'deployment' },
    digest: '60dc2a27b5e69fca651d5e8c38d8901a',
    datum: 3.5,
    report: '4c44504b010106096672657175656e637960dc2a27b5e69fca651d5e8c38d8901a020000000100000003000000',
    estimate: {
      frequencies: [0, 0, 0.5, 0.5, 0],
      unbiased: [-0.4471646941789329, -0.0588658776715731, 1.1060305718505066, 1.1060305718505066, -0.706030571850506],
      standardErrors: [
        0.4416529297022609, 0.4416529297022609, 0.4571038154311858, 0.4571038154311858, 0.4416529297022609,
      ],
    },
  },
  {
    name: 'frequency',
    request: { epsilon: 2, categories: 12 },
    digest: 'ae20ad066a6eaba97846ef0c9a267607',
    datum: 11,
    report: '4c44504b010106096672657175656e6379ae20ad066a6eaba97846ef0c9a267607020000000100000004000000',
    estimate: {
      frequencies: [0, 0, 0, 0, 0, 0.1160570404133971, 0, 0, 0, 0, 0, 0.8839429595866028],
      unbiased: [
        -0.016207433966897052, 0.02645289487605886, -0.058867762809852904, -0.016207433966897052, 0.02645289487605886,
        0.23975453909083816, -0.058867762809852904, 0.06911322371901471, 0.02645289487605886, -0.058867762809852904,
        -0.1868487493387205, 1.007640458264044,
      ],
      standardErrors: [
        0.10064448659643664, 0.10467005309578561, 0.10064448659643664, 0.10064448659643664, 0.10467005309578561,
        0.12883136788740887, 0.10064448659643664, 0.11058821173600272, 0.10467005309578561, 0.10064448659643664,
        0.10064448659643664, 0.14799616631599244,
      ],
    },
  },
  {
    name: 'mean',
    request: { epsilon: 1, bounds: [[-60, 240]], grade: 'deployment' },
    digest: 'e2f272531cdbf4857ad077b6d708ed7d',
    datum: 12.5,
    report: '4c44504b010106046d65616ee2f272531cdbf4857ad077b6d708ed7d0100000001000000',
    estimate: { mean: [-13.869763859455382], standardErrors: [43.490618674487116] },
  },
  {
    name: 'mean',
    request: {
      variant: 'oneBit',
      epsilon: 1,
      bounds: [
        [-60, 240],
        [0, 5100],
      ],
    },
    digest: '97e415bd4820713c67fca62adc288ee9',
    datum: [12.5, 700],
    report: '4c44504b010106046d65616e97e415bd4820713c67fca62adc288ee90100000002000000',
    estimate: {
      mean: [-0.8860433770234479, 1446.3837589932864],
      standardErrors: [63.63347767907591, 1092.5243389808359],
    },
  },
  {
    name: 'mean',
    request: {
      variant: 'kClosest',
      epsilon: 2,
      bounds: [
        [-60, 240],
        [0, 5100],
      ],
      grade: 'deployment',
    },
    digest: '8977cd357c71602d98f279cb978758b9',
    datum: [12.5, 700],
    report: '4c44504b010106046d65616e8977cd357c71602d98f279cb978758b904000000c17725f29a5bbff9b2a5f0c80e000000',
    estimate: {
      mean: [-59.55365833267731, 1232.5870375212307],
      standardErrors: [33.40754665639079, 572.0222463884417],
    },
  },
  {
    name: 'mean',
    request: { epsilon: 1, dimension: 4, radius: 2, grade: 'deployment' },
    digest: 'd4e399222658011a51e8529f1f49e1cc',
    datum: [0.5, -0.5, 1, 0],
    report: '4c44504b010106046d65616ed4e399222658011a51e8529f1f49e1cc04000000c17725f29a5bbff9b2a5f0c809000000',
    estimate: {
      mean: [1.7149596215730125, -0.9647148986559781, 1.3886318293639661, -0.6041186518844577],
      standardErrors: [0.6814476015228526, 0.6862355717827864, 0.6814476015228526, 0.6814476015228526],
    },
  },
];
