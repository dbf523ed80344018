import { ConsoleLogger } from '@nestjs/common';

/** Every module and every route, at every start of every process: nobody reads that. */
const QUIET = new Set(['InstanceLoader', 'RouterExplorer', 'RoutesResolver']);

/** Nest's own logger without the roll call. */
export class ShopLogger extends ConsoleLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    if (typeof context === 'string' && QUIET.has(context)) return;
    super.log(message, ...(rest as [string]));
  }
}
