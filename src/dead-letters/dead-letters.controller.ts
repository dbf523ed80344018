import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { Allow } from 'class-validator';
import type { Response } from 'express';
import { DeadLetterService } from 'nestjs-task-streams';
import { ProblemException } from '../problems/problem.js';
import { validBody } from '../problems/valid-body.pipe.js';
import { pathOfTask, SHOP_QUEUES, type ShopQueue } from '../tasks/shop-queues.js';
import { toDeadLetterView, type DeadLetterView } from './dead-letter-view.js';

const PAGE = 50;
const ENTRY_ID = /^\d+-\d+$/;

class RedriveLetter {
  /** The mended payload; left out, the task runs with the one it had. */
  @Allow()
  readonly payload?: unknown;
}

interface DeadLetterList {
  readonly queue: ShopQueue;
  readonly count: number;
  readonly letters: readonly DeadLetterView[];
  /** Give it back as `cursor` to go on. */
  readonly cursor: string | undefined;
}

/** What was set aside: read it, mend it, send it again. */
@Controller('dead-letters')
export class DeadLettersController {
  constructor(private readonly deadLetters: DeadLetterService) {}

  @Get()
  async list(@Query('queue') name?: string, @Query('cursor') from?: string): Promise<DeadLetterList> {
    const queue = requireShopQueue(name);
    if (from !== undefined) requireEntryId('cursor', from);
    const [count, page] = await Promise.all([
      this.deadLetters.count(queue),
      this.deadLetters.list(queue, { limit: PAGE, cursor: from, order: 'newest' }),
    ]);
    const letters = page.letters.map((letter) => toDeadLetterView(queue, letter));
    return { queue, count, letters, cursor: page.cursor };
  }

  /** Sends a dead letter back to its queue, under its own task id. */
  @Post(':entryId/redrive')
  async redrive(
    @Param('entryId') entryId: string,
    @Query('queue') name: string | undefined,
    @Body(validBody) body: RedriveLetter,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ links: { self: string } }> {
    const queue = requireShopQueue(name);
    requireEntryId('dead letter', entryId);
    const mended = 'payload' in body && body.payload !== undefined ? { payload: body.payload } : {};
    const { ref } = await this.deadLetters.redrive(queue, entryId, mended);
    const self = pathOfTask(queue, ref);
    response.status(202).location(self).setHeader('Retry-After', '1');
    return { links: { self } };
  }

  /** Deletes a dead letter for good. */
  @Delete(':entryId')
  @HttpCode(204)
  async discard(@Param('entryId') entryId: string, @Query('queue') name: string | undefined): Promise<void> {
    const queue = requireShopQueue(name);
    requireEntryId('dead letter', entryId);
    await this.deadLetters.discard(queue, entryId, { reason: 'discarded over HTTP' });
  }
}

function requireShopQueue(name: string | undefined): ShopQueue {
  const queue = SHOP_QUEUES.find((known) => known === name);
  if (queue) return queue;
  throw new ProblemException(400, `The shop has no queue "${name ?? ''}": say ?queue= with ${SHOP_QUEUES.join(', ')}.`);
}

function requireEntryId(what: string, value: string): void {
  if (ENTRY_ID.test(value)) return;
  throw new ProblemException(
    400,
    `The ${what} "${value}" is none: take one from GET /dead-letters?queue=notifications.`,
  );
}
