import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import {
  AuditTrail,
  type DeadLetter,
  DeadLetterHandler,
  type DeadLetterInstruction,
  DeadLetterService,
  type FailureGroup,
} from 'nestjs-task-streams';
import { debit } from './debit.js';

@Injectable()
export class Triage {
  @DeadLetterHandler(debit)
  async look(letter: DeadLetter): Promise<DeadLetterInstruction | void> {
    if (letter.error?.name === 'BankClosedError') return { kind: 'redrive' };
    await openTicket(`${letter.name}: ${letter.error?.message ?? letter.reason}`, letter.taskId);
  }
}

@Injectable()
export class Repairs {
  constructor(
    private readonly letters: DeadLetterService,
    private readonly audit: AuditTrail,
  ) {}

  async largestGroup(): Promise<FailureGroup | undefined> {
    const [group] = await this.letters.groups('payments');
    return group;
  }

  async redriveGroup(fingerprint: string, signal: AbortSignal): Promise<void> {
    const mend = { patch: { currency: 'EUR' } };
    const preview = await this.letters.previewRedrive('payments', { fingerprint }, mend);
    if (preview.refused > 0) console.table(preview.problems);

    const report = await this.letters.redriveMany(
      'payments',
      { fingerprint },
      {
        ...mend,
        ratePerSecond: 50,
        signal,
        actor: 'ada@example.com',
        reason: 'INC-17: the currency was missing',
        onProgress: ({ done, refused }) => console.log(`${done} moved, ${refused} refused`),
      },
    );
    console.log(report.done, report.refusals, report.failed, report.cursor);
  }

  async discardOld(): Promise<void> {
    await this.letters.purge(
      'payments',
      { to: new Date('2026-01-01') },
      {
        reason: 'settled by hand',
        actor: 'ada@example.com',
        confirm: 'payments',
      },
    );
  }

  async takeAway(file: string): Promise<void> {
    await pipeline(this.letters.export('payments'), createWriteStream(file));
  }

  async bringIn(file: string): Promise<void> {
    const { imported, duplicates, problems } = await this.letters.import('payments', createReadStream(file));
    console.log(imported, duplicates, problems, (await this.audit.list('payments')).records);
  }
}

async function openTicket(title: string, taskId: string): Promise<void> {
  await Promise.resolve(`${title} (${taskId})`);
}
