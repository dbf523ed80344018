import { testGroup } from './test-group.js';

testGroup('controls');
