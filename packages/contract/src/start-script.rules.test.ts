import { describe, expect, it } from 'vitest'
import {
  brokenStartScript,
  startScriptBodyBytes,
  startScriptBytes,
  startScriptForm,
  startScriptTexts as texts,
  utf8Bytes,
} from './start-script.rules.ts'
import { VmCreate } from './vm.ts'

const sized = (bytes: number, filler = 'x') => {
  const head = '#!/bin/sh\n'
  return head + filler.repeat((bytes - head.length) / utf8Bytes(filler))
}

describe('a start script', () => {
  it.each([
    ['#!/bin/sh', 'program'],
    ['#!/bin/sh -eu\necho', 'program'],
    ['#! /usr/bin/env python3\n', 'program'],
    ['#!\t/bin/sh\n', 'program'],
    ['#cloud-config', 'cloud-config'],
    ['#cloud-config\npackages: [nginx]\n', 'cloud-config'],
    ['#cloud-config \r\npackages: [nginx]\r\n', 'cloud-config'],
    ['', null],
    ['echo hello', null],
    ['#!', null],
    ['#!sh\n', null],
    ['#!\n/bin/sh', null],
    [' #!/bin/sh', null],
    ['\n#!/bin/sh', null],
    ['\ufeff#!/bin/sh', null],
    ['#cloud-configuration\n', null],
    ['# cloud-config\n', null],
    ['#cloud-config-archive\n', null],
    ['#cloud-boothook\n#!/bin/sh', null],
    ['Content-Type: multipart/mixed', null],
  ])('%j is of the form %s', (text, form) => {
    expect(startScriptForm(text)).toBe(form)
    expect(brokenStartScript(text)).toBe(form === null ? texts.form : undefined)
  })

  it.each([
    [sized(startScriptBytes), undefined],
    [sized(startScriptBytes + 1), texts.tooLarge],
    [sized(startScriptBytes, 'é'), undefined],
    [`${sized(startScriptBytes, 'é')}é`, texts.tooLarge],
    [sized(10_000_000), texts.tooLarge],
    ['#!/bin/sh\n\0', texts.nullCharacter],
    ['\0', texts.nullCharacter],
    ['#!/bin/sh\r\necho\r\n', texts.lineEnds],
    ['#!/bin/sh\necho\r\n', undefined],
  ])('has the size and the characters that a guest takes (%#)', (text, problem) => {
    expect(brokenStartScript(text)).toBe(problem)
  })

  it('is counted in bytes', () => {
    expect(['', 'a', 'é', '€', '😀'].map(utf8Bytes)).toEqual([0, 1, 2, 3, 4])
  })

  it('fits into a call, however its characters are written', () => {
    const { length } = JSON.stringify('\u0001'.repeat(startScriptBytes))
    expect(length).toBeLessThan(startScriptBodyBytes)
    expect(startScriptBodyBytes).toBeLessThan(2 * length)
  })

  it('is a field of a new VM, which may be left out', () => {
    const rest = { name: 'web', template_id: 't', ssh_key_id: 'k' }
    const problem = (start_script?: unknown) =>
      VmCreate.safeParse({ ...rest, start_script }).error?.issues.map(({ path, message }) => [
        path[0],
        message,
      ])
    expect(problem()).toBeUndefined()
    expect(problem('#!/bin/sh\n')).toBeUndefined()
    expect(problem('')).toEqual([['start_script', texts.form]])
    expect(problem(7)).toEqual([['start_script', texts.form]])
    expect(problem('\0')).toEqual([['start_script', texts.nullCharacter]])
  })
})
