import { Global, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { AppConfig } from './app-config.js';
import { readConfig } from './read-config.js';

/** Reads `.env` and the environment once, checks them, and gives everybody the typed {@link AppConfig}. */
@Global()
@Module({
  imports: [ConfigModule.forRoot({ validate: (environment) => readConfig(environment) })],
  // ConfigModule has copied .env into process.env by the time a provider is made.
  providers: [{ provide: AppConfig, useFactory: () => readConfig(process.env) }],
  exports: [AppConfig],
})
export class AppConfigModule {}
