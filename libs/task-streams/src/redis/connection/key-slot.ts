const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

/** The slot of a Cluster that a key is in: CRC16 (XMODEM) of what is between its first braces, else of the whole key. */
export function keySlot(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tagOf(key))) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1) & 0xffff;
  }
  return crc % SLOTS;
}

function tagOf(key: string): string {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}
