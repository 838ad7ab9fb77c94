// @module-tag full
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statfsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { directoryForEach } from './directory.test-kit.ts'
import { ownDirectory } from './own-directory.ts'

const children = new Set<ChildProcess>()
const at = directoryForEach()
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
})

async function newDirectory(name = 'own'): Promise<string> {
  await mkdir(at(name))
  return at(name)
}

const module = path.join(import.meta.dirname, 'own-directory.ts')
/** Waits for the moment that all wait for, then tries to own the directory and stays. */
const program = `
  const { ownDirectory } = await import(${JSON.stringify(module)})
  const [dir, moment] = process.argv.slice(1)
  while (Date.now() < Number(moment)) {}
  await ownDirectory(dir).then(() => console.log('mine'), (error) => console.log(error.message))
  setInterval(() => {}, 1000)
`

/** A process that tries at a moment, and what it says. */
function contender(dir: string, moment: number) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, dir, `${moment}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return { child, said: once(child.stdout, 'data').then(([text]) => `${text}`.trim()) }
}

/** The lock file of a server that is no more, as an earlier version left it. */
const stale = JSON.stringify({ pid: 4_194_000, started: '1' })

it.each([1, 2, 3])(
  'of many servers that find the lock of a dead one, one owns the directory (%i)',
  async () => {
    const dir = await newDirectory()
    await writeFile(path.join(dir, 'server.lock'), stale)
    const moment = Date.now() + 2000
    const said = await Promise.all(Array.from({ length: 8 }, () => contender(dir, moment).said))
    expect(said.filter((text) => text === 'mine')).toHaveLength(1)
    for (const text of said.filter((text) => text !== 'mine')) {
      expect(text).toContain('Another Slipway server')
      expect(text).toContain(dir)
    }
  },
)

it('a killed server leaves nothing that keeps the next one out', async () => {
  const dir = await newDirectory()
  const first = contender(dir, 0)
  expect(await first.said).toBe('mine')
  await expect(ownDirectory(dir)).rejects.toThrow(`(process ${first.child.pid}) is using ${dir}`)
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  const giveUp = await ownDirectory(dir)
  await giveUp()
})

it('a directory that was given up can be owned again, and not twice at once', async () => {
  const dir = await newDirectory()
  const giveUp = await ownDirectory(dir)
  await expect(ownDirectory(dir)).rejects.toThrow('Another Slipway server')
  await giveUp()
  await (await ownDirectory(dir))()
})

it('a living server of an earlier version, which has the file alone, keeps others out', async () => {
  const dir = await newDirectory()
  const other = contender(await newDirectory('other'), 0)
  await other.said
  const stat = await readFile(`/proc/${other.child.pid}/stat`, 'utf8')
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  await writeFile(path.join(dir, 'server.lock'), JSON.stringify({ pid: other.child.pid, started }))
  await expect(ownDirectory(dir)).rejects.toThrow(`(process ${other.child.pid})`)
})

const isRoot = process.getuid?.() === 0
it.skipIf(!isRoot)('a directory on a disk without a free byte can be owned', async () => {
  const dir = await newDirectory()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'slipway-test', dir])
  try {
    await (await ownDirectory(dir))()
    const { bavail, bsize } = statfsSync(dir)
    await writeFile(path.join(dir, 'filler'), Buffer.alloc(bavail * bsize))
    await expect(writeFile(path.join(dir, 'more'), 'x')).rejects.toMatchObject({ code: 'ENOSPC' })
    const giveUp = await ownDirectory(dir)
    await expect(ownDirectory(dir)).rejects.toThrow(`is using ${dir}`)
    await giveUp()
  } finally {
    execFileSync('umount', ['--lazy', dir])
  }
})
