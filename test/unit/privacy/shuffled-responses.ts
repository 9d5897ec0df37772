// The shuffled reports of a few players, by enumeration of everything the shuffler can let out: the truth that bounds on
// shuffling have to lie above. Nothing here is shared with src/.

/** The laws of one player's report, one row a datum. */
export type Channel = readonly (readonly number[])[];

/** k-ary randomized response: the datum itself with probability e^ε/(e^ε + k − 1), each other with 1/(e^ε + k − 1). */
export function responses(epsilon: number, categories: number): Channel {
  const lie = 1 / (Math.exp(epsilon) + categories - 1);
  return Array.from({ length: categories }, (_, datum) =>
    Array.from({ length: categories }, (_, report) => (report === datum ? Math.exp(epsilon) * lie : lie)),
  );
}

/** Subset selection of two among four categories: the six pairs, those that contain the datum e^ε times likelier. */
export function selections(epsilon: number): Channel {
  const pairs = [0, 1, 2, 3].flatMap((first) =>
    [0, 1, 2, 3].filter((second) => second > first).map((second) => [first, second]),
  );
  const unit = 1 / (3 * Math.exp(epsilon) + 3);
  return [0, 1, 2, 3].map((datum) => pairs.map((pair) => (pair.includes(datum) ? Math.exp(epsilon) * unit : unit)));
}

/** The law of the histogram of the reports of these data. */
function shuffled(channel: Channel, data: readonly number[]): Map<string, number> {
  const reports = channel[0].length;
  let law = new Map<string, number>([[Array(reports).fill(0).join(), 1]]);
  for (const datum of data) {
    const next = new Map<string, number>();
    for (const [histogram, probability] of law) {
      const counts = histogram.split(',').map(Number);
      for (let report = 0; report < reports; report++) {
        counts[report]++;
        const key = counts.join();
        next.set(key, (next.get(key) ?? 0) + probability * channel[datum][report]);
        counts[report]--;
      }
    }
    law = next;
  }
  return law;
}

/** Σ (P − e^ε·Q)₊ for the data (0, others) against (1, others). */
function shuffledDelta(channel: Channel, others: readonly number[], epsilon: number): number {
  const here = shuffled(channel, [0, ...others]);
  const there = shuffled(channel, [1, ...others]);
  let delta = 0;
  for (const [histogram, probability] of here) {
    delta += Math.max(0, probability - Math.exp(epsilon) * (there.get(histogram) ?? 0));
  }
  return delta;
}

/** The largest such δ over what the other players may hold, all of them data of the channel. */
export function worstShuffledDelta(channel: Channel, players: number, epsilon: number): number {
  let worst = 0;
  const visit = (others: readonly number[], least: number): void => {
    if (others.length === players - 1) worst = Math.max(worst, shuffledDelta(channel, others, epsilon));
    else for (let datum = least; datum < channel.length; datum++) visit([...others, datum], datum);
  };
  visit([], 0);
  return worst;
}
