import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { directoryForEach } from '../../lib/directory.test-kit.ts'
import { makeHandClock } from '../../lib/hand-clock.ts'
import { type Line, makeKept } from './kept.ts'

describe('what the simulated engine keeps', () => {
  const dir = directoryForEach()
  const file = () => path.join(dir(), 'simulated.jsonl')

  const counter: Line = ['counters', 'nextAddress', 1]
  function openKept() {
    const lines: Line[] = []
    const kept = makeKept(file(), makeHandClock(), () => [counter, ...lines])
    kept.open((line) => lines.push(line))
    return { kept, lines }
  }

  it('drops the half of a line that a kill left at the end', () => {
    openKept().kept.put('volumes', 'v', { content: '' })
    appendFileSync(file(), '["volumes","w",{"con')
    const { lines } = openKept()
    expect(lines.filter(([section]) => section === 'volumes')).toEqual([['volumes', 'v', { content: '' }]])
  })

  it('is never taken for nothing when it cannot be read', () => {
    writeFileSync(file(), 'garbage\n["machines","a",{}]\n')
    expect(openKept).toThrow('Line 1')
    rmSync(file())
    mkdirSync(file())
    expect(openKept).toThrow('cannot be read')
  })
})
