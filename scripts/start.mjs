// `npm start`: from a fresh clone, or any later state, to a running server. Runs on Node 20 before anything is
// installed, so it imports nothing but Node itself.
import { node24 } from './setup/node24.mjs'
import { prepare } from './setup/prepare.mjs'
import { become, main } from './setup/run.mjs'
import { inTree } from './setup/tree.mjs'

await main(async () => {
  await prepare()
  await become(node24(), [inTree('packages/server/src/main.ts')])
})
