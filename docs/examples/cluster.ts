import { Cluster } from 'ioredis';
import { TaskStreamsModule } from 'nestjs-task-streams';

export const tasks = TaskStreamsModule.forRoot({
  connection: {
    createClient: (_role, options) =>
      new Cluster([{ host: 'redis-1.internal', port: 6379 }], {
        redisOptions: { ...options, password: process.env['REDIS_PASSWORD'] ?? '' },
        lazyConnect: true,
      }),
  },
});
