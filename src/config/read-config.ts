import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { AppConfig } from './app-config.js';

/**
 * Reads the configuration out of environment variables.
 *
 * @throws Error that names each variable, its value and what it must be.
 */
export function readConfig(environment: Readonly<Record<string, unknown>>): AppConfig {
  const known = Object.keys(new AppConfig()).filter((name) => isSet(environment[name]));
  const given = Object.fromEntries(known.map((name) => [name, environment[name]]));
  const config = plainToInstance(AppConfig, given, { enableImplicitConversion: true });
  const errors = validateSync(config);
  if (errors.length > 0) {
    const lines = errors.map((error) => show(error, environment));
    throw new Error(['The environment cannot be used (.env.example explains each variable):', ...lines].join('\n'));
  }
  return config;
}

/** `NAME=` in a .env file or a compose file means the default, not an empty text. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== '';
}

function show(error: ValidationError, environment: Readonly<Record<string, unknown>>): string {
  const rules = Object.values(error.constraints ?? {}).join(', ');
  const value = String(environment[error.property]);
  // A URL may have a password in front of its @.
  return `  ${error.property}=${value.includes('@') ? '…' : value}: ${rules}`;
}
