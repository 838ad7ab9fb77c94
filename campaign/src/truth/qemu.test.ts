import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { brokenInWarm } from './qemu.ts'

const key = 'ab'.repeat(32)
const whole = ['manifest.json', 'memory', 'root.qcow2', 'state']
const making = (count: number): Record<string, string[]> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`00000000-0000-4000-8000-00000000000${i}`, ['memory']]),
  )

it.each([
  ['none', {}, []],
  ['one that is whole', { [key]: whole }, []],
  ['one that is whole, one that boots and one that is tried out', { [key]: whole, ...making(2) }, []],
  [
    'one that lacks a file',
    { [key]: whole.slice(0, 3) },
    [/has the files manifest.json, memory, root.qcow2$/],
  ],
  ['more than can be in the making', making(3), [/^Directories of guests to be frozen/]],
] as [string, Record<string, string[]>, RegExp[]][])(
  'of frozen guests there is %s',
  async (_, dirs, expected) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'slipway-campaign-warm-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    for (const [name, files] of Object.entries(dirs)) {
      await mkdir(join(dataDir, 'warm', name), { recursive: true })
      for (const file of files) await writeFile(join(dataDir, 'warm', name, file), '')
    }
    const findings = await brokenInWarm(dataDir)
    expect(findings).toEqual(
      expected.map((message) => ({ rule: 'orphan', message: expect.stringMatching(message) })),
    )
  },
)
