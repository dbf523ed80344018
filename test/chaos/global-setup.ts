import type { TestProject } from 'vitest/node';
import { prepareChaos } from '../../scripts/chaos/prepare.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the built harness, from which workers are started. */
    chaosBuild: string;
  }
}

/** Builds what the worker processes run. */
export default async function setup(project: TestProject): Promise<void> {
  const { dir } = await prepareChaos(() => undefined);
  project.provide('chaosBuild', dir);
}
