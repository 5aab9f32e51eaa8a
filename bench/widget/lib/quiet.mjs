import { readFile } from 'node:fs/promises';
import { sleep } from './browser.mjs';

const ticks = async () => {
  const [user, nice, system, idle, iowait, irq, softirq, steal] = (await readFile('/proc/stat', 'utf8')).split('\n')[0].trim().split(/\s+/).slice(1).map(Number);
  return { idle: idle + iowait, all: user + nice + system + idle + iowait + irq + softirq + steal };
};

// Waits for a pause of other work on the machine, and returns the idle share of the machine, or null if nobody knows it.
export async function quiet({ quietIdle, quietWait }) {
  try {
    let idle = null;
    for (const end = Date.now() + quietWait; ; ) {
      const a = await ticks();
      await sleep(200);
      const b = await ticks();
      idle = (b.idle - a.idle) / Math.max(1, b.all - a.all);
      if (idle >= quietIdle || Date.now() >= end) return idle;
    }
  } catch { return null; }
}
