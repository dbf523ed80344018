/** The part of the Redis broker that knows who this process is. */
interface Named {
  readonly session: { readonly identity: { readonly name: string } };
}

/** Forces a consumer name that other processes have too: the library never makes one by itself. */
export function shareName(broker: Named, name: string): void {
  Object.defineProperty(broker.session.identity, 'name', { value: name });
}
