import { describe, expect, it } from 'vitest'
import { between, makeSelection } from './selection.ts'

const order = ['a', 'b', 'c', 'd'].map((id) => ({ id }))
const at = (isRange: boolean) => ({ order, isRange })

describe('a range', () => {
  it('has both ends, whichever was first', () => {
    expect(between(order, 'b', 'd')).toEqual(['b', 'c', 'd'])
    expect(between(order, 'd', 'b')).toEqual(['b', 'c', 'd'])
    expect(between(order, 'c', 'c')).toEqual(['c'])
  })
  it('is the one alone where nothing was changed before, or that is not shown any more', () => {
    expect(between(order, null, 'c')).toEqual(['c'])
    expect(between(order, 'gone', 'c')).toEqual(['c'])
  })
})

describe('a selection', () => {
  it('takes ranges from what was changed last, and lets go of them', () => {
    const selection = makeSelection()
    selection.change('a', true, at(false))
    selection.change('c', true, at(true))
    expect([...selection.get()]).toEqual(['a', 'b', 'c'])
    selection.change('b', false, at(true))
    expect([...selection.get()]).toEqual(['a'])
  })

  it('loses what is not there any more, and says nothing when nothing is lost', () => {
    const selection = makeSelection()
    selection.select(['a', 'b'])
    let told = 0
    const stop = selection.subscribe(() => told++)
    selection.keep(new Set(['a', 'b', 'c']))
    expect(told).toBe(0)
    selection.keep(new Set(['b']))
    expect([told, [...selection.get()]]).toEqual([1, ['b']])
    selection.clear()
    stop()
    selection.select(['a'])
    expect([told, [...selection.get()]]).toEqual([2, ['a']])
  })

  it('begins no range at what was cleared', () => {
    const selection = makeSelection()
    selection.change('a', true, at(false))
    selection.clear()
    selection.change('c', true, at(true))
    expect([...selection.get()]).toEqual(['c'])
  })
})
