import { Injectable } from '@nestjs/common';
import { TaskClient } from 'nestjs-task-streams';

/** One connection inside a transaction: a client of `pg`, or `{ query }` of TypeORM's `EntityManager`. */
interface Sql {
  query<T>(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly T[] }>;
}

interface Database {
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
}

interface OutboxRow {
  readonly id: string;
  readonly task: string;
  readonly queue: string;
  readonly payload: object;
}

declare const database: Database;

export async function placeOrder(orderId: string, cents: number): Promise<void> {
  await database.transaction(async (sql) => {
    await sql.query('INSERT INTO orders (id, cents) VALUES ($1, $2)', [orderId, cents]);
    await sql.query('INSERT INTO outbox (id, task, queue, payload) VALUES ($1, $2, $3, $4)', [
      `charge-${orderId}`,
      'payments.charge',
      'payments',
      JSON.stringify({ orderId, cents }),
    ]);
  });
}

@Injectable()
export class OutboxRelay {
  constructor(private readonly tasks: TaskClient) {}

  /** Moves up to 100 rows to Redis; answers how many. Call it again at once after a full batch, else each second. */
  relay(): Promise<number> {
    return database.transaction(async (sql) => {
      const { rows } = await sql.query<OutboxRow>(
        'SELECT id, task, queue, payload FROM outbox ORDER BY place LIMIT 100 FOR UPDATE SKIP LOCKED',
      );
      // Throws unless Redis has all of them; then the rows stay, and the next call sends the same ids again.
      await this.tasks.enqueueMany(
        rows.map(({ id, task, queue, payload }) => ({ task, payload, options: { id, queue } })),
      );
      await sql.query('DELETE FROM outbox WHERE id = ANY($1)', [rows.map(({ id }) => id)]);
      return rows.length;
    });
  }
}
