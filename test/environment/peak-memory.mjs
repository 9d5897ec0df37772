import { readFileSync } from 'node:fs';

/**
 * The most memory that this process has held since it was started, in bytes. Linux tells it; what `resourceUsage` says counts what the
 * process that started it held at that moment, and stands in where there is nothing else.
 */
export function peakMemory() {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return Number(kilobytes) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
