/** The version of this library, the same as in its package.json, which a bundle has not. */
export const LIBRARY_VERSION = '0.1.0';
