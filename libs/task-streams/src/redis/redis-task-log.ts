import type { TaskLog, TaskLogLine } from '../contracts/task-log.interface.js';
import type { RedisSession } from './redis-session.js';

/** Lines kept of a task; the oldest go first. */
const KEPT_LINES = 100;
const LINE = /^(\d+) (\d+) (.*)$/s;

/** Keeps the last lines that handlers wrote, in one list a task. */
export class RedisTaskLog implements TaskLog {
  constructor(private readonly session: RedisSession) {}

  async appendLog(
    owner: { readonly queue: string; readonly taskId: string },
    lines: readonly TaskLogLine[],
  ): Promise<void> {
    const { logsMs } = this.session.options.retention;
    const texts = lines.map(({ at, attempt, text }) => `${at.getTime()} ${attempt} ${text}`);
    await this.session.run('log', owner.queue, [owner.taskId, KEPT_LINES, logsMs, ...texts.slice(-KEPT_LINES)]);
  }

  async readLog(queue: string, id: string): Promise<TaskLogLine[]> {
    const key = this.session.keys(queue).log(id);
    const lines = await this.session.ask(queue, (client) => client.lrange(key, 0, -1));
    return lines.map((line) => {
      const [, at, attempt, text = line] = LINE.exec(line) ?? [];
      return { at: new Date(Number(at) || 0), attempt: Number(attempt) || 0, text };
    });
  }
}
