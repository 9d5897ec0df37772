/** Work per second: the median of five repetitions of 60 ms each, as the peers take theirs. */
export function fillRate(work, once) {
  const rates = [];
  for (let repetition = 0; repetition < 5; repetition++) {
    const start = performance.now();
    let rounds = 0;
    let elapsed = 0;
    do {
      once();
      rounds++;
      elapsed = performance.now() - start;
    } while (elapsed < 60);
    rates.push((1000 * rounds * work) / elapsed);
  }
  return rates.sort((a, b) => a - b)[2];
}
