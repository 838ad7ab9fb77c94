import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { inTree } from './tree.mjs'

const path = 'deploy/slipway.service'
/** What the unit sets; a line without `=` is a heading, a comment or empty. */
const settings = new Map(
  readFileSync(inTree(path), 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#') && line.includes('='))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
)

it('the unit allows as many open files as hundreds of VMs, consoles and connections take', () => {
  expect(Number(settings.get('LimitNOFILE'))).toBeGreaterThanOrEqual(65536)
})

it('the unit lets guests live on when the server stops, and brings the server back when it fails', () => {
  expect(settings.get('KillMode')).toBe('process')
  expect(settings.get('Restart')).toBe('on-failure')
})

it('the unit leaves the server alone when the kernel kills a guest for memory', () => {
  expect(settings.get('OOMPolicy')).toBe('continue')
})

it('the unit keeps the data for the server alone', () => {
  expect(settings.get('StateDirectoryMode')).toBe('0700')
  expect(settings.get('Environment')).toBe(`SLIPWAY_DATA_DIR=/var/lib/${settings.get('StateDirectory')}`)
})

it('the unit is the one that docs/operate.md installs', () => {
  expect(readFileSync(inTree('docs/operate.md'), 'utf8')).toContain(
    `/opt/slipway/${path} /etc/systemd/system/`,
  )
})
