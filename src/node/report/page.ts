import type { RunDocument } from '../experiment/document.ts';
export function reportPage(document: RunDocument): string { return document.title; }
