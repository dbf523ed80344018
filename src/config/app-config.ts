import { IsIn, IsInt, IsNotEmpty, IsString, Matches, Max, Min } from 'class-validator';

const ROLES = ['web', 'worker', 'both'] as const;

/** Which part of the shop a process is. */
export type Role = (typeof ROLES)[number];

/**
 * Every environment variable of the shop, with its default and its check. `.env.example` lists the same ones for people;
 * a test holds the two against each other.
 */
export class AppConfig {
  @IsIn(ROLES)
  readonly TASKS_ROLE: Role = 'both';

  @Matches(/^(rediss?|(redis\+)?unix):\/\/\S+$/, { message: 'must be a URL such as redis://127.0.0.1:6379' })
  readonly REDIS_URL: string = 'redis://127.0.0.1:6379';

  @IsString()
  @IsNotEmpty()
  readonly HOST: string = '127.0.0.1';

  @IsInt()
  @Min(0)
  @Max(65_535)
  readonly PORT: number = 3000;

  @IsInt()
  @Min(0)
  @Max(65_535)
  readonly HEALTH_PORT: number = 0;

  @IsString()
  @IsNotEmpty()
  readonly DATA_DIR: string = './.cache/data';

  @IsInt()
  @Min(1000)
  @Max(600_000)
  readonly TASK_LEASE_MS: number = 10_000;

  @IsInt()
  @Min(0)
  @Max(600_000)
  readonly SHUTDOWN_TIMEOUT_MS: number = 5000;

  get isWeb(): boolean {
    return this.TASKS_ROLE !== 'worker';
  }

  get isWorker(): boolean {
    return this.TASKS_ROLE !== 'web';
  }
}
