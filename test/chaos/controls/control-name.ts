/** The deliberately broken builds. Each breaks one thing that the library does for a reason. */
export type ControlName =
  | 'no-fence'
  | 'multi-instead-of-script'
  | 'no-reclaim'
  | 'maxlen-on-add'
  | 'group-at-end'
  | 'no-dedup'
  | 'no-confirmation'
  | 'no-key-lock'
  | 'key-by-delivery'
  | 'suspect-holds-queue'
  | 'no-deadline'
  | UsualSnippet;

/** Not a build of the library at all. */
export type UsualSnippet = 'usual-snippet' | 'usual-snippet-reclaim';

export function isUsualSnippet(control: ControlName | undefined): control is UsualSnippet {
  return control === 'usual-snippet' || control === 'usual-snippet-reclaim';
}
