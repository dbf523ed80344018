const { ContextReplacementPlugin, IgnorePlugin } = require('webpack');

/** As in Nest's own documents: packages that are not installed are looked for only where they are used. */
const notInstalled = new IgnorePlugin({
  checkResource(resource, context) {
    if (!/^[^./]/.test(resource)) return false;
    try {
      require.resolve(resource, { paths: [context] });
      return false;
    } catch {
      return true;
    }
  },
});

/** `@nestjs/terminus` has a `require(name)`, for which webpack would take every file beside it. */
const onlyCode = new ContextReplacementPlugin(/terminus[\\/]dist[\\/]utils/, /\.js$/);

/** Webpack without externals: one file with everything. */
module.exports = (options) => ({ ...options, externals: [], plugins: [...options.plugins, notInstalled, onlyCode] });
