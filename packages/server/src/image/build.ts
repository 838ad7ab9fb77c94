import { join, resolve } from 'node:path'
import { makeLog } from '../lib/log.ts'
import { makeImageStore, STARTER_IMAGE } from './image-store.ts'

/** Makes the Starter Linux image ready in advance: `node build.ts [data directory]`. */
const dataDir = resolve(process.argv[2] ?? 'data')
const store = makeImageStore({ dir: join(dataDir, 'images'), log: makeLog('warn') })

try {
  if ((await store.state(STARTER_IMAGE)).state !== 'ready') {
    console.log(
      'Building the Starter Linux image from Debian packages (about ten seconds and 30 MB of download)',
    )
    await store.use(STARTER_IMAGE)
  }
  console.log('The Starter Linux image is ready')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
