import type { ListablePlace, ListedPage, ListedTask, TaskLister } from '../contracts/task-lister.interface.js';
import { decodeTaskRecord, emptyRecord, type TaskRecord } from '../task/task-record.js';
import { asActive } from './decode-active.js';
import type { RedisSession } from './redis-session.js';

type Row = readonly [id: string, name: string, record: string, token: string, mark: string];

/** Lists tasks, a bounded page at a time. */
export class RedisTaskLister implements TaskLister {
  constructor(private readonly session: RedisSession) {}

  async listTasks(queue: string, place: ListablePlace, limit: number, cursor: string | undefined): Promise<ListedPage> {
    const reply = (await this.session.runFor('list', queue, [place, limit, cursor ?? ''])) as [string, Row[]];
    const [next, rows] = reply;
    return { tasks: rows.map((row) => listedTask(row, place)), cursor: next === '' ? undefined : next };
  }
}

/** A task that somebody added by hand has no record before a worker takes it. */
function listedTask([id, name, text, token, mark]: Row, place: ListablePlace): ListedTask {
  const record: TaskRecord = decodeTaskRecord(text) ?? emptyRecord(place === 'active' ? 'waiting' : place, name);
  return { id, record: token === '' ? record : asActive(record, token, mark === '' ? undefined : mark) };
}
