// `npm run dev`: the server on the simulated engine with sample data, and Vite with hot reload in front of it.
import { spawn } from 'node:child_process'
import { node24 } from './setup/node24.mjs'
import { ensureNpmPackages } from './setup/npm-packages.mjs'
import { environment, main, say } from './setup/run.mjs'
import { inTree, root } from './setup/tree.mjs'

const settings = {
  SLIPWAY_ENGINE: 'simulated',
  SLIPWAY_SEED: '1',
  // A server that is in use has the usual one.
  SLIPWAY_SSH_PORT: process.env.SLIPWAY_SSH_PORT || '0',
  SLIPWAY_DATA_DIR: process.env.SLIPWAY_DATA_DIR || inTree('.cache/dev-data'),
  // Links in mails must lead to Vite, not past it.
  SLIPWAY_PUBLIC_URL: process.env.SLIPWAY_PUBLIC_URL || 'http://localhost:5173',
}

await main(async () => {
  await ensureNpmPackages()
  say('Development: the server on the simulated engine, and Vite. Open http://localhost:5173.')
  const children = [
    start(root, '--watch', '--watch-preserve-output', 'packages/server/src/main.ts'),
    start(inTree('packages/web'), inTree('node_modules/vite/bin/vite.js'), '--strictPort'),
  ]
  const end = () => {
    for (const child of children) child.kill('SIGTERM')
  }
  for (const child of children) child.on('exit', end)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end)
})

function start(cwd, ...args) {
  return spawn(node24(), args, { cwd, env: environment(settings), stdio: ['ignore', 'inherit', 'inherit'] })
}
