import type { ErrorClass, ErrorOrigin } from '../task/error-class.js';

/**
 * Says what kind of failure an error is. Bind your own under the token `ERROR_CLASSIFIER`. Where it
 * throws, or answers no error class (a promise, a delay that is no number of milliseconds), the error counts as a failed
 * attempt, and the log says so.
 *
 * @publicApi
 */
export interface ErrorClassifier {
  classify(error: unknown, origin: ErrorOrigin): ErrorClass;
}
