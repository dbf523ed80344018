/** The part of class-validator's ValidationError that is read here; the package is optional. */
export interface ValidationErrorLike {
  readonly property: string;
  readonly constraints?: Readonly<Record<string, string>> | undefined;
  readonly children?: readonly ValidationErrorLike[] | undefined;
}

/** Whether a thrown value is what `validate` of class-validator answers and `validateOrReject` throws. */
export function isValidationErrorList(value: unknown): value is readonly ValidationErrorLike[] {
  return Array.isArray(value) && value.length > 0 && value.every(isValidationError);
}

/** One line for each rule that was broken, with the path of the field. */
export function flattenValidationErrors(errors: readonly ValidationErrorLike[], parent = ''): string[] {
  return errors.flatMap((error) => {
    const own = Object.values(error.constraints ?? {}).map((rule) => (parent === '' ? rule : `${parent}.${rule}`));
    const path = parent === '' ? error.property : `${parent}.${error.property}`;
    return [...own, ...flattenValidationErrors(error.children ?? [], path)];
  });
}

function isValidationError(value: unknown): value is ValidationErrorLike {
  const error = value as { property?: unknown; constraints?: unknown; children?: unknown } | null;
  return typeof error?.property === 'string' && (error.constraints !== undefined || Array.isArray(error.children));
}
