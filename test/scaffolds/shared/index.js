'use strict';
// A package of the same company, with handlers and helpers for tasks, and with a copy of the library below its own
// node_modules: CommonJS as an earlier compiler of TypeScript would have written it.
require('reflect-metadata');
const { Inject, Injectable } = require('@nestjs/common');
const { currentTask, TaskClient, TaskHandler, UnrecoverableError } = require('nestjs-task-streams');

function giveUp() {
  throw new UnrecoverableError('nobody can do that');
}

class SharedTasks {
  constructor(tasks) {
    this.tasks = tasks;
    this.runs = 0;
  }

  count() {
    this.runs += 1;
    return this.runs;
  }

  enqueueCount() {
    return this.tasks.enqueue('shared.count', {});
  }
}

Injectable()(SharedTasks);
Inject(TaskClient)(SharedTasks, undefined, 0);
TaskHandler('shared.count')(
  SharedTasks.prototype,
  'count',
  Object.getOwnPropertyDescriptor(SharedTasks.prototype, 'count'),
);

module.exports = { currentTask, giveUp, SharedTasks, UnrecoverableError };
