import { run } from './run.js';
import { keepLogOffAnswers } from './silence.js';

// Whoever reads has seen enough, such as `| head`.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
}

keepLogOffAnswers();
process.exitCode = await run(process.argv.slice(2));
