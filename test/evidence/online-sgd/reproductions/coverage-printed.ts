/** A row of Table 1 of the inference paper: coverage in %, and length × 100, at n = 40,000 … 200,000. */
export interface PrintedRow {
  readonly coverage: readonly number[];
  readonly length: readonly number[];
}

/** Printed rows by budget and method. */
export const PRINTED_COVERAGE: Readonly<Record<string, Readonly<Record<string, PrintedRow>>>> = {
  'non-private': {
    'plug-in': { coverage: [93.75, 92.5, 93.5, 92.75, 94.13], length: [1.08, 0.76, 0.62, 0.54, 0.48] },
    'batch means': { coverage: [88.88, 90.75, 93.25, 93.13, 92.75], length: [1.01, 0.74, 0.62, 0.54, 0.48] },
    'random scaling': { coverage: [95.13, 94, 95.75, 95.13, 95.5], length: [1.47, 1.03, 0.84, 0.73, 0.64] },
  },
  'μ = 1': {
    'plug-in': { coverage: [91.38, 93.5, 92.13, 93.75, 93.25], length: [11.49, 7.68, 6.1, 5.19, 4.6] },
    'batch means': { coverage: [85.38, 92, 91.63, 93.25, 92.88], length: [11.09, 7.83, 6.49, 5.49, 4.77] },
    'random scaling': { coverage: [94.38, 95.75, 94.88, 95.38, 95.5], length: [16.01, 10.96, 8.64, 7.21, 6.5] },
  },
  'μ = 2': {
    'plug-in': { coverage: [90.75, 90.5, 91.25, 92.63, 92.13], length: [4.99, 3.45, 2.81, 2.42, 2.16] },
    'batch means': { coverage: [84.63, 87.88, 89.75, 90.25, 90.88], length: [4.7, 3.42, 2.87, 2.47, 2.15] },
    'random scaling': { coverage: [92.75, 92.5, 93.5, 94, 94.88], length: [6.77, 4.82, 3.94, 3.3, 2.93] },
  },
};
