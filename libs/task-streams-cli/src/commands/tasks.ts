import type { Command } from 'commander';
import { addTaskChanges } from './tasks-change.js';
import { addEnqueue } from './tasks-enqueue.js';
import { addForgetId } from './tasks-forget-id.js';
import { addForgetKey } from './tasks-forget-key.js';
import { addTaskLists } from './tasks-show.js';

/** `tasks`: one task, or those of a queue. */
export function addTasks(program: Command): void {
  const tasks = program.command('tasks').description('show, enqueue and change tasks');
  addTaskLists(tasks);
  addEnqueue(tasks);
  addTaskChanges(tasks);
  addForgetId(tasks);
  addForgetKey(tasks);
}
