/** Where and why a value cannot be written as JSON. */
export interface PayloadFault {
  /** Such as `payload.items[3].price`. */
  readonly path: string;
  readonly what: string;
  readonly cause: unknown;
}

/** The most characters of a path that are shown. */
const MAX_PATH = 200;

/**
 * Finds the first place of a value at which `JSON.stringify` fails or which is nested too deeply; `undefined` where there
 * is none. It walks as `JSON.stringify` does, and is called only after that has failed: it is slow.
 *
 * @internal
 */
export function findPayloadFault(payload: unknown, maxDepth: number): PayloadFault | undefined {
  return new FaultFinder(maxDepth).look(payload, '', 'payload');
}

class FaultFinder {
  /** The arrays and objects around the place that is looked at. */
  private readonly around: object[] = [];

  constructor(private readonly maxDepth: number) {}

  look(raw: unknown, key: string, path: string): PayloadFault | undefined {
    try {
      return this.lookAt(replaced(raw, key), path);
    } catch (cause) {
      return fault(path, `its toJSON or a trap threw ${showCause(cause)}`, cause);
    }
  }

  private lookAt(value: unknown, path: string): PayloadFault | undefined {
    if (typeof value === 'bigint' || value instanceof BigInt) return fault(path, 'there is a BigInt', undefined);
    if (typeof value !== 'object' || value === null) return undefined;
    if (this.around.includes(value)) return fault(path, 'there is a circle: an object that contains itself', undefined);
    if (this.around.length >= this.maxDepth) {
      return fault(path, `it is nested deeper than ${this.maxDepth} levels (limits.maxPayloadDepth)`, undefined);
    }
    this.around.push(value);
    const found = this.lookInside(value, path);
    this.around.pop();
    return found;
  }

  private lookInside(value: object, path: string): PayloadFault | undefined {
    const isArray = Array.isArray(value);
    for (const key of isArray ? value.keys() : Object.keys(value)) {
      const place = isArray ? `${path}[${key}]` : `${path}${property(`${key}`)}`;
      let member: unknown;
      try {
        member = (value as Record<string | number, unknown>)[key];
      } catch (cause) {
        return fault(place, `its getter threw ${showCause(cause)}`, cause);
      }
      const found = this.look(member, `${key}`, place);
      if (found) return found;
    }
    return undefined;
  }
}

/** What `JSON.stringify` writes in place of a value that has a toJSON. */
function replaced(value: unknown, key: string): unknown {
  const mayReplace =
    (typeof value === 'object' && value !== null) || typeof value === 'function' || typeof value === 'bigint';
  const toJson = mayReplace ? (value as { toJSON?: unknown }).toJSON : undefined;
  return typeof toJson === 'function' ? (toJson.call(value, key) as unknown) : value;
}

function property(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function fault(path: string, what: string, cause: unknown): PayloadFault {
  return { path: path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path, what, cause };
}

function showCause(cause: unknown): string {
  try {
    return `"${cause instanceof Error ? cause.message : String(cause)}"`.slice(0, MAX_PATH);
  } catch {
    return 'something';
  }
}
