import { testGroup } from './test-group.js';

testGroup('workers');
