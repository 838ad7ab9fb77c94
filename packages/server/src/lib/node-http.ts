/**
 * Node's HTTP without what nobody uses: an `import` of `node:http` reads everything it exports, its WebSocket among that,
 * which brings some 10 MB of undici along.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http')
