// The last step of the build of the library.
import path from 'node:path';
import { finishLibrary } from './lib/library-package.mjs';
import { root } from './lib/paths.mjs';

const library = path.join(root, 'libs/task-streams');

await finishLibrary({ dist: path.join(library, 'dist'), scripts: path.join(library, 'src/redis/scripts') });
