import { ClientProxy } from '@nestjs/microservices';
import { expect, it } from 'vitest';
import { isOnNest11 } from '../../support/nest/nest-version.js';

// Else `npm run test:nest-11` could go green on the project's own Nest. Dispatch hooks came with Nest 12.
it('Nest is the one that these tests are to run on', () => {
  expect('setOnDispatchHook' in ClientProxy.prototype).toBe(!isOnNest11);
});
