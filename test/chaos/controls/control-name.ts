/** The deliberately broken builds. Each breaks one thing that the library does for a reason. */
export type ControlName =
  'no-fence' | 'multi-instead-of-script' | 'no-reclaim' | 'maxlen-on-add' | 'group-at-end' | 'no-dedup';
