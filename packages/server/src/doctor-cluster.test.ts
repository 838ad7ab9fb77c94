// @module-tag full
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { Finding } from './lib/finding.ts'

const kubeconfig = process.env.SLIPWAY_TEST_KUBECONFIG
if (!kubeconfig) console.log('SKIPPED: "tries a VM…", because SLIPWAY_TEST_KUBECONFIG names no cluster')

const dir = mkdtempSync(path.join(tmpdir(), 'slipway-doctor-cluster-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Runs the program to its end. */
async function findings(file: string, ...args: string[]): Promise<Finding[]> {
  const program = path.join(import.meta.dirname, 'doctor-cluster.ts')
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, HOME: dir, SLIPWAY_ENGINE: 'kubevirt', SLIPWAY_KUBECONFIG: file },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect(code, output).toBe(0)
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

it('says which file is missing', async () => {
  const [first, ...more] = await findings(path.join(dir, 'none'))
  expect(first).toMatchObject({ state: 'bad', help: expect.stringContaining('SLIPWAY_KUBECONFIG') })
  expect(first?.text).toContain(`${dir}/none cannot be read`)
  expect(more).toEqual([])
})

it('says that nobody answers, and tries nothing then', async () => {
  const file = path.join(dir, 'kubeconfig')
  const named = (rest: object) => [{ name: 'a', ...rest }]
  writeFileSync(
    file,
    JSON.stringify({
      'current-context': 'a',
      contexts: named({ context: { cluster: 'a', user: 'a' } }),
      clusters: named({ cluster: { server: 'https://127.0.0.1:1' } }),
      users: named({ user: { token: 'me' } }),
    }),
  )
  expect(await findings(file, '--try')).toEqual([
    expect.objectContaining({
      state: 'bad',
      name: 'API server',
      text: expect.stringContaining('127.0.0.1:1 does not answer'),
    }),
  ])
})

it.skipIf(!kubeconfig)('tries a VM when it is told to, and does not end before it is removed', async () => {
  const all = await findings(kubeconfig ?? '', '--try')
  expect(all.filter(({ name }) => name === 'trial').map(({ text }) => text.split(':')[0])).toEqual([
    'create a namespace',
    'create a disk',
    'start a VM',
    'take a snapshot',
    'remove everything',
  ])
})
