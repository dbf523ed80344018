import type { Command } from 'commander';
import { addDiscards } from './dlq-discard.js';
import { addRedrive } from './dlq-redrive.js';
import { addLetterViews } from './dlq-show.js';
import { addTransfers } from './dlq-transfer.js';

/** `dlq`: what was set aside. */
export function addDlq(program: Command): void {
  const dlq = program.command('dlq').description('show dead letters, send them back, delete, export and import them');
  addLetterViews(dlq);
  addRedrive(dlq);
  addDiscards(dlq);
  addTransfers(dlq);
}
