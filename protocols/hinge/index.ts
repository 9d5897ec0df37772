export * from './algorithm-1.ts';
export * from './parameters.ts';
export * from './player.ts';
export * from './protocol.ts';
export * from './report.ts';
export * from './server.ts';
export * from './study.ts';
export * from './theory.ts';
