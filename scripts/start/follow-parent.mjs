// Loaded before the sample app. When the launcher is killed, nobody is left to stop this process: it then stops itself
// the ordinary way, so that a worker still finishes the tasks it runs.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel alone must not keep the process alive.
process.channel?.unref();
