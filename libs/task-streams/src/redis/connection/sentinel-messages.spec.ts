import { describe, expect, it } from 'vitest';
import { readSentinelMessage } from './sentinel-messages.js';

describe('readSentinelMessage', () => {
  it.each([
    ['+elected-leader', 'master main 10.0.0.1 6379', 'begins'],
    ['+selected-slave', 'slave 10.0.0.2:6379 10.0.0.2 6379 @ main 10.0.0.1 6379', 'begins'],
    ['-failover-abort-no-good-slave', 'master main 10.0.0.1 6379', 'aborted'],
    ['+promoted-slave', 'slave 10.0.0.2:6379 10.0.0.2 6379 @ main 10.0.0.1 6379', 'switched'],
    ['+switch-master', 'main 10.0.0.1 6379 10.0.0.2 6379', 'switched'],
  ])('%s %s: %s', (channel, message, news) => {
    expect(readSentinelMessage(channel, message, 'main')).toBe(news);
  });

  it.each([
    ['+elected-leader', 'master other 10.0.0.1 6379'],
    ['+promoted-slave', 'slave main 10.0.0.2 6379 @ other 10.0.0.1 6379'],
    ['+switch-master', 'other 10.0.0.1 6379 10.0.0.2 6379'],
    ['+sdown', 'master main 10.0.0.1 6379'],
  ])('%s %s is none of ours', (channel, message) => {
    expect(readSentinelMessage(channel, message, 'main')).toBeUndefined();
  });
});
