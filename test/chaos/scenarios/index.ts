import type { Scenario } from '../harness/scenario.js';
import { CONTROLS } from './controls.js';
import { f01 } from './f01-sigkill.js';
import { f02 } from './f02-zombie.js';
import { f03 } from './f03-partition.js';
import { f04 } from './f04-lost-reply.js';
import { f05 } from './f05-frozen-reader.js';
import { f06 } from './f06-hanging.js';
import { f07 } from './f07-killer.js';
import { f08 } from './f08-rolling-stop.js';
import { f09 } from './f09-one-name.js';
import { f10 } from './f10-ghosts.js';
import { f11 } from './f11-prefetched.js';
import { f12PowerLoss } from './f12-power-loss.js';
import { f12 } from './f12-redis-crash.js';
import { f13 } from './f13-fail-over.js';
import { f14 } from './f14-paused-redis.js';
import { f15 } from './f15-stream-gone.js';
import { f16 } from './f16-trimmed.js';
import { f17 } from './f17-full-memory.js';
import { f18 } from './f18-eviction.js';
import { f19 } from './f19-error-replies.js';
import { f20, f20Redis } from './f20-clock.js';
import { f21, f22 } from './f21-backlog.js';
import { f23 } from './f23-malformed.js';
import { f25 } from './f25-large-payloads.js';
import { f26 } from './f26-kill-points.js';
import { f27 } from './f27-dead-letters.js';
import { brokenItem } from './f28-broken-item.js';
import { f28 } from './f28-promoters.js';
import { f29 } from './f29-backoff.js';
import { f30 } from './f30-outage.js';
import { f31 } from './f31-lost-enqueue-reply.js';
import { f32 } from './f32-redis-down.js';
import { f33 } from './f33-redrive.js';
import { f34 } from './f34-growth.js';
import { f35 } from './f35-keys.js';
import { f36 } from './f36-slow-suspect.js';
import { MIXED } from './mixed.js';
import { USUAL_SNIPPETS } from './usual-snippet.js';

const isMixed = ({ id }: Scenario) => id.startsWith('control-mixed');

/**
 * What `npm test` runs side by side, a spec file each. Those of one group run one after the other; a group takes about a
 * minute.
 */
export const GROUPS = {
  mixed: MIXED,
  'mixed-controls': CONTROLS.filter(isMixed),
  workers: [f01, f02, f35, f36, f04, f31, f27, f28, brokenItem, f07, f08],
  server: [...f12, ...f12PowerLoss, ...f26, f14, ...f15],
  network: [f17, f05, f03, f06, f19, ...f13, ...f20Redis, f20],
  content: [f23, f30, f33, f10, f16, f18, f21, f22, f25, f29, f32, f34, f09, f11],
  controls: CONTROLS.filter((control) => !isMixed(control)),
  usual: USUAL_SNIPPETS,
} as const satisfies Readonly<Record<string, readonly Scenario[]>>;

/** Every scenario, the most worthwhile first. */
export const SCENARIOS: readonly Scenario[] = Object.values(GROUPS).flat();
