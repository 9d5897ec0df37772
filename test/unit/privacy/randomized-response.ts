// Exact facts about binary randomized response with e^ε : 1 odds, by enumeration: the worst case among all mechanisms
// of pure ε-local differential privacy, so every conversion from a pure guarantee has to lie above it.

/** δ(ε) of k independent answers on the same bit: Σ over outcomes of (P − e^ε·P′)₊. */
export function answersDelta(epsilon0: number, k: number, epsilon: number): number {
  const lie = 1 / (1 + Math.exp(epsilon0));
  const truth = 1 - lie;
  let choose = 1;
  let delta = 0;
  for (let lies = 0; lies <= k; lies++) {
    const here = truth ** (k - lies) * lie ** lies;
    const there = truth ** lies * lie ** (k - lies);
    delta += choose * Math.max(0, here - Math.exp(epsilon) * there);
    choose = (choose * (k - lies)) / (lies + 1);
  }
  return delta;
}

/** The Rényi divergence of order α between the two answer laws of one answer. */
export function answerRenyi(epsilon0: number, alpha: number): number {
  const lie = 1 / (1 + Math.exp(epsilon0));
  const truth = 1 - lie;
  return Math.log(truth ** alpha * lie ** (1 - alpha) + lie ** alpha * truth ** (1 - alpha)) / (alpha - 1);
}
