// Independent programs of `tests/oracles`. Each reports events in lines of JSON.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../oracles", import.meta.url));

export type Said = Record<string, unknown>;

export class Oracle {
  private readonly said: Said[] = [];
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.said.push(JSON.parse(line) as Said);
      for (const look of this.waiting) look();
    });
    child.once("exit", () => {
      for (const look of this.waiting) look();
    });
  }

  /** Starts a script. Its first line is the first one that `next` can return. */
  static start(script: string): Oracle {
    return new Oracle(spawn(process.execPath, [script], { cwd: folder }));
  }

  /** Waits for the first unread line that fits. */
  next(fits: (said: Said) => boolean): Promise<Said> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => end(new Error(`nothing that fits was said: ${JSON.stringify(this.said)}`)), 30_000);
      const end = (outcome: Said | Error): void => {
        clearTimeout(late);
        this.waiting.delete(look);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      const look = (): void => {
        const index = this.said.findIndex(fits);
        const [found] = index < 0 ? [] : this.said.splice(index, 1);
        if (found) end(found);
        else if (this.child.exitCode !== null) end(new Error(`it ended with ${this.child.exitCode}`));
      };
      this.waiting.add(look);
      look();
    });
  }

  /** Writes a line to the program. */
  tell(line: Said): void {
    this.child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill();
    await ended;
  }
}
