import { testGroup } from './test-group.js';

testGroup('server');
