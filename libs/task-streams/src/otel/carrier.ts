import { propagation, ROOT_CONTEXT, trace, type Context, type Link } from '@opentelemetry/api';
import type { TaskHeaders } from '../task/envelope.js';

const BAGGAGE = 'baggage';
/** The longest value of a header. */
const MAX_LENGTH = 4_096;

/** The headers that carry a context, as the propagator of the application writes them. */
export function headersOf(context: Context, withBaggage: boolean): TaskHeaders {
  const carrier: Record<string, string> = {};
  propagation.inject(context, carrier);
  const kept = Object.entries(carrier).filter(
    ([name, value]) => value.length <= MAX_LENGTH && (withBaggage || name !== BAGGAGE),
  );
  return Object.fromEntries(kept);
}

/** The context that headers carry; an empty one where they carry none. */
export function contextOf(headers: TaskHeaders): Context {
  return propagation.extract(ROOT_CONTEXT, headers, {
    get: (carrier, name) => carrier[name],
    keys: (carrier) => Object.keys(carrier),
  });
}

/** A link to the span that a context has, or none. */
export function linksTo(context: Context): Link[] {
  const spanContext = trace.getSpanContext(context);
  return spanContext ? [{ context: spanContext }] : [];
}
