export declare function giveUp(): never;

export declare class SharedTasks {
  runs: number;
  enqueueCount(): Promise<{ readonly ref: string }>;
}
