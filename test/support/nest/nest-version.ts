/** Whether Nest is the oldest one that is supported (`npm run test:nest-11`). */
export const isOnNest11 = process.env['TEST_NEST'] === '11';
