import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { TaskStreamsModule } from 'nestjs-task-streams';
import { AppModule } from './app.module.js';
import { AppConfig } from './config/app-config.js';
import { servePage } from './page/serve-page.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { ShopLogger } from './shop-logger.js';

async function start(): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule, {
    logger: new ShopLogger({ logLevels: ['log', 'warn', 'error', 'fatal'] }),
  });
  const config = app.get(AppConfig);
  // SIGTERM: stop fetching, let running tasks end or hand them back, close the HTTP server, end with exit code 0.
  app.enableShutdownHooks([], { useProcessExit: true });
  app.disable('x-powered-by');
  app.useGlobalFilters(new ProblemFilter(app.getHttpAdapter()));
  if (config.isWeb) servePage(app);
  if (config.isWorker) {
    TaskStreamsModule.connect(app);
    await app.startAllMicroservices();
  }
  const port = config.isWeb ? config.PORT : config.HEALTH_PORT;
  if (config.isWeb || config.HEALTH_PORT !== 0) await app.listen(port, config.HOST);
  else await app.init();
  new Logger('Shop').log(`${config.TASKS_ROLE} started${config.isWeb ? `, open ${await app.getUrl()}/` : ''}`);
}

await start();
