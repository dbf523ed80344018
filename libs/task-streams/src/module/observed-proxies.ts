import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { PRODUCER_EVENTS } from '../watch/event-sources.interface.js';
import type { ProducerObserver } from '../watch/producer-observer.interface.js';
import { TaskStreamsClientProxyBase } from '../producer/task-streams-client-proxy.js';

/**
 * Lets metrics and listeners hear what a `TaskStreamsClientProxy` sends. Nest makes it without injection, so it cannot ask
 * for the observer; it is found among the providers of the application instead.
 */
@Injectable()
export class ObservedProxies implements OnModuleInit {
  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(PRODUCER_EVENTS) private readonly events: ProducerObserver,
  ) {}

  onModuleInit(): void {
    for (const { instance } of this.discovery.getProviders() as readonly { readonly instance: unknown }[]) {
      if (instance instanceof TaskStreamsClientProxyBase) instance.tellTo(this.events);
    }
  }
}
