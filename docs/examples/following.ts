import { TaskClient, type TaskReceipt } from 'nestjs-task-streams';

export async function stop(tasks: TaskClient, receipt: TaskReceipt): Promise<string> {
  const { kind, state } = await tasks.cancel(receipt.ref, { reason: 'a wrong year', actor: 'ann' });
  return `${kind}, it was ${state}`;
}
