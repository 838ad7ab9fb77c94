import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHandClock } from '../../lib/hand-clock.ts'
import { type Line, makeKept } from './kept.ts'

describe('what the simulated engine keeps', () => {
  let dir = ''
  let file = ''
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'slipway-kept-'))
    file = path.join(dir, 'simulated.jsonl')
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const counter: Line = ['counters', 'nextAddress', 1]
  function openKept() {
    const lines: Line[] = []
    const kept = makeKept(file, makeHandClock(), () => [counter, ...lines])
    kept.open((line) => lines.push(line))
    return { kept, lines }
  }

  it('is there after a server that was killed, to the last change that was answered', () => {
    openKept().kept.put('machines', 'a', { cpu: 2 })
    expect(openKept().lines).toContainEqual(['machines', 'a', { cpu: 2 }])
  })

  it('drops the half of a line that a kill left at the end', () => {
    openKept().kept.put('volumes', 'v', { content: '' })
    appendFileSync(file, '["volumes","w",{"con')
    const { lines } = openKept()
    expect(lines.filter(([section]) => section === 'volumes')).toEqual([['volumes', 'v', { content: '' }]])
  })

  it('is never taken for nothing when it cannot be read', () => {
    openKept().kept.put('machines', 'a', {})
    writeFileSync(file, '')
    expect(openKept).toThrow('is empty')
    writeFileSync(file, 'garbage\n["machines","a",{}]\n')
    expect(openKept).toThrow('Line 1')
    rmSync(file)
    mkdirSync(file)
    expect(openKept).toThrow('cannot be read')
  })
})
