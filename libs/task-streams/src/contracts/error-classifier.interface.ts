import type { ErrorClass, ErrorOrigin } from '../task/error-class.js';

/**
 * Says what kind of failure an error is. Bind your own under the token `ERROR_CLASSIFIER`.
 *
 * @publicApi
 */
export interface ErrorClassifier {
  classify(error: unknown, origin: ErrorOrigin): ErrorClass;
}
