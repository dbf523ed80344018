import { TaskStreamsModule } from 'nestjs-task-streams';

export const withSentinel = TaskStreamsModule.forRoot({
  connection: {
    options: {
      name: 'main',
      sentinels: [
        { host: 'sentinel-1', port: 26379 },
        { host: 'sentinel-2', port: 26379 },
        { host: 'sentinel-3', port: 26379 },
      ],
    },
  },
});
