import { openTaskStreams } from 'nestjs-task-streams/admin';

/** Sends what the bank refused while it was down, from a script without a Nest application. */
export async function redriveDeclined(): Promise<void> {
  const admin = openTaskStreams({ connection: { url: process.env['REDIS_URL'] ?? 'redis://localhost:6379' } });
  try {
    const report = await admin.letters.redriveMany(
      'payments',
      { errorName: 'BankClosedError' },
      { actor: 'nightly', reason: 'the bank is open again' },
    );
    console.log(`${report.done} redriven, ${await admin.letters.count('payments')} left`);
  } finally {
    await admin.close();
  }
}
