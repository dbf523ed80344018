/** What a Sentinel says about the fail-over of a primary. */
export type SentinelNews =
  /** A replica is about to be promoted: about 100 ms from now both will take writes, and those of the old primary are lost. */
  | 'begins'
  /** The promotion was given up: the primary stays. */
  | 'aborted'
  /** Another server is the primary: ask which. */
  | 'switched';

const NEWS: Readonly<Record<string, SentinelNews>> = {
  '+elected-leader': 'begins',
  '+failover-state-select-slave': 'begins',
  '+selected-slave': 'begins',
  '+failover-state-send-slaveof-noone': 'begins',
  '-failover-abort-no-good-slave': 'aborted',
  '-failover-abort-not-elected': 'aborted',
  '-failover-abort-slave-timeout': 'aborted',
  // The Sentinel that leads the fail-over says `+switch-master` a second or more later than this.
  '+promoted-slave': 'switched',
  '+switch-master': 'switched',
};

export const SENTINEL_CHANNELS: readonly string[] = Object.keys(NEWS);

/** @returns undefined where the message is about the primary of another name. */
export function readSentinelMessage(channel: string, message: string, name: string): SentinelNews | undefined {
  const words = message.split(' ');
  const at = words.indexOf('@');
  // `+switch-master <name> …`, `+elected-leader master <name> …`, `+promoted-slave slave … @ <name> …`
  const place = at >= 0 ? at + 1 : channel === '+switch-master' ? 0 : 1;
  return words[place] === name ? NEWS[channel] : undefined;
}
