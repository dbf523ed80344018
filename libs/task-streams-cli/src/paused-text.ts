import type { WhoAndWhy } from 'nestjs-task-streams';
import { showAgo, showTime } from './output/format.js';

/** Who paused something, when and why. */
export function pausedText({ by, at, reason }: WhoAndWhy): string {
  return `by ${by ?? 'somebody'} ${showAgo(at)} (${showTime(at)})${reason === undefined ? '' : `: ${reason}`}`;
}
