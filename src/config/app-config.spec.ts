import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AppConfig } from './app-config.js';
import { readConfig } from './read-config.js';

const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');

describe('the configuration', () => {
  it('has the same variables and defaults as .env.example', () => {
    const defaults = Object.entries(new AppConfig()).map(([name, value]) => [name, String(value)]);
    expect(parseEnv(example)).toEqual(Object.fromEntries(defaults));
  });

  it('explains every variable in .env.example', () => {
    const blocks = example.trim().split(/\n\n+/).slice(1);
    const unexplained = blocks.filter((block) => !block.startsWith('# '));
    expect(unexplained).toEqual([]);
  });

  it('reads .env.example unchanged', () => {
    expect(readConfig(parseEnv(example))).toEqual(new AppConfig());
  });

  it('takes the default for what is missing or empty', () => {
    expect(readConfig({ PORT: '', UNKNOWN: 'x' })).toEqual(new AppConfig());
  });

  it('turns numbers into numbers', () => {
    expect(readConfig({ PORT: '8080' }).PORT).toBe(8080);
  });

  it.each([
    ['TASKS_ROLE', 'boss'],
    ['REDIS_URL', 'localhost:6379'],
    ['PORT', 'http'],
    ['PORT', '70000'],
    ['TASK_LEASE_MS', '1.5'],
  ])('refuses %s=%s and says both', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(`${name}=${value}: `);
  });

  it('shows no password', () => {
    expect(() => readConfig({ REDIS_URL: 'http://me:s3cret@host' })).toThrow(/REDIS_URL=…: /);
  });
});
