import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ApiDocument } from '../../api/api-reference.ts'
import { type ApiCall, resourcesOf } from './calls.ts'
import { curlOf, exampleOf } from './curl.ts'

// The document that the server sends.
const document = JSON.parse(
  readFileSync(new URL('../../../../../docs/openapi.json', import.meta.url), 'utf8'),
) as ApiDocument
const { schemas } = document.components
const calls = resourcesOf(document).flatMap((resource) => resource.calls)
const callOf = (id: string): ApiCall => calls.find((one) => one.id === id) ?? expect.fail(`no call ${id}`)
const commandOf = (call: ApiCall) => curlOf(call, schemas, 'https://vms.example.com')

/** What a shell gives to curl, with every variable set to its own name. */
function argumentsOf(command: string): string[] {
  const variables = [...command.matchAll(/\$(\w+)/g)].map(([, name]) => `${name}=of_${name}`).join('; ')
  const script = `uuidgen() { echo key; }; curl() { printf '%s\\0' "$@"; }; ${variables}\n${command}`
  return execFileSync('sh', ['-eu', '-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

describe('the example of a call', () => {
  it('is what a shell takes, for every call that a token can make', () => {
    const made = calls.filter((call) => commandOf(call) !== null)
    expect(made.length).toBeGreaterThan(80)
    const script = made.map((call) => argumentsOf(commandOf(call) ?? ''))
    script.forEach((words, index) => {
      const { method, id, body, access } = made[index] ?? expect.fail()
      const url = words.at(-1) ?? ''
      expect(url, id).toMatch(/^https:\/\/vms\.example\.com\/[\w/.?=&-]+$/)
      expect(words.includes('-X') ? words[words.indexOf('-X') + 1] : 'GET', id).toBe(method)
      expect(
        words.some((word) => word.startsWith('Authorization: Bearer of_SLIPWAY_')),
        id,
      ).toBe(access !== 'public')
      const sent = words[words.indexOf('-d') + 1] ?? ''
      if (body?.type === 'application/json') expect(() => JSON.parse(sent), id).not.toThrow()
    })
  })

  it('has a key for calls that create something, and follows events', () => {
    expect(argumentsOf(commandOf(callOf('projectCreate')) ?? '')).toEqual([
      '-X',
      'POST',
      '-H',
      'Authorization: Bearer of_SLIPWAY_TOKEN',
      '-H',
      'Idempotency-Key: key',
      '-H',
      'Content-Type: application/json',
      '-d',
      '{"name":"<name>"}',
      'https://vms.example.com/api/projects',
    ])
    expect(commandOf(callOf('eventStreamAll'))).toMatch(/^curl -N /)
    expect(commandOf(callOf('vmStart'))).toContain('/api/projects/$PROJECT_ID/vms/$VM_ID/start"')
  })

  it('is not there where curl or a token cannot', () => {
    expect(commandOf(callOf('accountChangePassword'))).toBeNull()
    expect(commandOf(callOf('vmConsole'))).toBeNull()
  })

  it('keeps quotes of a body in one word', () => {
    const schema = { properties: { name: { const: `it's $HOME "now"` } }, required: ['name'] }
    const call = { ...callOf('projectCreate'), body: { type: 'application/json', schema, required: true } }
    expect(argumentsOf(commandOf(call) ?? '')).toContain(`{"name":"it's $HOME \\"now\\""}`)
  })

  it('has of a body what is required', () => {
    const body = exampleOf({ $ref: '#/components/schemas/DiskCreate' }, schemas)
    expect(body).toEqual({ name: '<name>', size: '<size>', source: 'EMPTY' })
  })
})
