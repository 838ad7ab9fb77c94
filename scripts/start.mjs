// `npm start`: from a fresh clone, or any later state, to a running server. Runs on Node 20 before anything is
// installed, so it imports nothing but Node itself.
import { prepare } from './setup/prepare.mjs'
import { become, main } from './setup/run.mjs'
import { serverCommand } from './setup/server.mjs'

await main(async () => {
  await prepare()
  const { program, args, env } = serverCommand()
  await become(program, args, { env })
})
