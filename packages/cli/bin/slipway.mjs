#!/usr/bin/env node
// The command line is TypeScript, which Node runs from version 24 on. An older Node hands over to the one that npm
// installed, so this file runs on any Node from 20 on and imports nothing but Node itself.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const main = new URL('../src/main.ts', import.meta.url)
const inTree = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const cache = inTree('.cache/compile')

if (Number(process.versions.node.split('.')[0]) >= 24) {
  module.enableCompileCache(cache)
  await import(main)
} else {
  const node = inTree(`node_modules/node-${process.platform}-${process.arch}/bin/node`)
  if (!existsSync(node)) {
    console.error(
      `slipway needs Node 24 or newer and this is ${process.version}. Install it from https://nodejs.org.`,
    )
    process.exit(1)
  }
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  })
  // A terminal sends Ctrl-C to the child as well; this one stays until that has ended.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('close', (code) => process.exit(code ?? 1))
}
