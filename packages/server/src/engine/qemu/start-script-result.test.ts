import { expect, test } from 'vitest'
import { agentOf } from './agent.test-kit.ts'
import { askForStartScript, endOfCloudInit, endOfProgram } from './start-script-result.ts'

const place = '/var/lib/slipway/start-script'
const uptime = { '/proc/uptime': '1 1' }

const ask = (files: Record<string, string | Buffer>, form: 'program' | 'cloud-config' = 'program') =>
  askForStartScript(agentOf({ ...uptime, ...files }), form)

test('a program waits, runs and ends by the files that it leaves', async () => {
  expect(await ask({})).toEqual({ state: 'waiting' })
  expect(await ask({ [`${place}/begun`]: '' })).toEqual({ state: 'running', output: '' })
  const output = { [`${place}/begun`]: '', [`${place}/output`]: 'Hello\n' }
  expect(await ask(output)).toEqual({ state: 'running', output: 'Hello\n' })
  expect(await ask({ ...output, [`${place}/result`]: '3 1700000000\n' })).toEqual({
    state: 'ended',
    how: 'failed',
    exitCode: 3,
    endedAt: 1_700_000_000_000,
    output: 'Hello\n',
  })
})

test('cloud-init waits, runs and ends by its own files', async () => {
  expect(await ask({}, 'cloud-config')).toEqual({ state: 'waiting' })
  const begun = {
    '/run/cloud-init/status.json': '{}',
    '/var/log/cloud-init-output.log': 'Setting up nginx\n',
  }
  expect(await ask(begun, 'cloud-config')).toEqual({ state: 'running', output: 'Setting up nginx\n' })
  const result = { '/run/cloud-init/result.json': '{"v1":{"datasource":"x","errors":["no package"]}}' }
  expect(await ask({ ...begun, ...result }, 'cloud-config')).toEqual({
    state: 'ended',
    how: 'failed',
    exitCode: null,
    endedAt: null,
    output: 'Setting up nginx\n',
  })
})

test('of a long output the end is told, from the beginning of a character on', async () => {
  const long = 'é'.repeat(100_000)
  const told = await ask({ [`${place}/begun`]: '', [`${place}/output`]: `${long}x` })
  expect(told).toEqual({ state: 'running', output: `${'é'.repeat(32_767)}x` })
  const senseless = await ask({ [`${place}/begun`]: '', [`${place}/output`]: Buffer.alloc(9, 0x80) })
  expect(senseless).toMatchObject({ state: 'running' })
})

test('a guest that lets nobody read says nothing, and one that falls silent is not taken for one that waits', async () => {
  expect(await askForStartScript(agentOf({}), 'program')).toMatchObject({ state: 'unknown' })
  for (const answers of [0, 1, 2, 3]) {
    const agent = agentOf(uptime)
    let asked = 0
    const execute: typeof agent.execute = async (...all) => {
      if (asked++ >= answers) throw new Error('The guest agent is gone')
      return agent.execute(...all)
    }
    await expect(askForStartScript({ ...agent, execute }, 'program')).rejects.toThrow('gone')
  }
})

test.each([
  ['0 1700000000\n', { how: 'succeeded', exitCode: 0, endedAt: 1_700_000_000_000 }],
  ['127 0', { how: 'failed', exitCode: 127, endedAt: 0 }],
  ['interrupted\n', { how: 'interrupted', exitCode: null, endedAt: null }],
  ['', null],
  ['-1 5', null],
  ['0', null],
  ['9999 1', null],
  ['0 999999999999', null],
  ['0 1\n0 2', null],
  ['<html>', null],
])('%j ended a program like this', (text, end) => {
  expect(endOfProgram(text)).toEqual(end)
})

test.each([
  ['{"v1":{"errors":[]}}', 'succeeded'],
  ['{"v1":{"errors":["a"]}}', 'failed'],
  ['{"v1":{"errors":"a"}}', undefined],
  ['{"v1":null}', undefined],
  ['[]', undefined],
  ['', undefined],
  ['{'.repeat(9_000), undefined],
])('%j ended cloud-init like this', (text, how) => {
  expect(endOfCloudInit(text)?.how).toBe(how)
})
