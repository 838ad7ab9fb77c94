// @module-tag full
/** `npm run backup` and `npm run restore`, as processes of their own beside a server that runs, and without one. */
import path from 'node:path'
import { expect, it } from 'vitest'
import { openPrograms } from './programs.test-kit.ts'

const { home, installation, run, startServer } = openPrograms()

it('write a backup with and without a server, and restore it for the next one', async () => {
  const [first, second] = [await installation('first'), await installation('second')]
  const [live, rest] = [path.join(home, 'live'), path.join(home, 'rest')]
  expect(await run('backup.ts', first, live)).toMatchObject({ status: 1 })
  const endServer = await startServer(first)
  const made = await run('backup.ts', first, live)
  expect(made).toMatchObject({ status: 0 })
  expect(made.printed).toContain(`Backup written to ${live} and verified`)
  const again = await run('backup.ts', first, live)
  expect(again).toMatchObject({ status: 1 })
  expect(again.printed).toContain('is not empty')
  const over = await run('restore.ts', first, live)
  expect(over).toMatchObject({ status: 1 })
  expect(over.printed).toContain('is not empty')
  await endServer()
  expect(await run('backup.ts', first, rest)).toMatchObject({ status: 0 })
  const restored = await run('restore.ts', second, rest)
  expect(restored).toMatchObject({ status: 0 })
  expect(restored.printed).toContain(`to ${second.dataDir}. Start the server.`)
  await (await startServer(second))()
})

it('say what they need to know', async () => {
  const at = await installation('none')
  for (const program of ['backup.ts', 'restore.ts'])
    expect((await run(program, at)).printed).toMatch(/^Name (one|the) directory/)
})
