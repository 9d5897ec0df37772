// Mutation run: which constants and signs of the rows of the map of the papers' items a test of their row notices.
//
//   npm run mutate -- [PART OF "paper item" …] [--every | --most 6] [--seed WORD] [--list] [--output FILE.json]
//     [--again FILE.json] [--tests PART,PART] [--files PATH,PATH]
import { runMain } from '../environment/typescript-main.mjs';

await runMain('test/mutation/main.ts');
