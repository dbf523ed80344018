import { Global, Module } from '@nestjs/common';
import { ShopStore } from './shop-store.js';

@Global()
@Module({ providers: [ShopStore], exports: [ShopStore] })
export class StoreModule {}
