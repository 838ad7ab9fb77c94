import { describe, expect, it } from 'vitest'
import { chargedTo, inTurnsOf, nextTurn } from './turn.ts'

async function* piecesOf(texts: Iterable<string>, onEnd = () => {}): AsyncGenerator<string> {
  try {
    yield* texts
  } finally {
    onEnd()
  }
}
async function partsOf(pieces: AsyncGenerator<string>): Promise<string[]> {
  const parts: string[] = []
  for await (const part of inTurnsOf('account', pieces)) parts.push(part)
  return parts
}
const thousand = Array.from({ length: 1_000 }, (_, n) => `${n},`)

describe('a text in the turns of an account', () => {
  it('is whole, and takes far fewer turns than it has pieces while others have theirs', async () => {
    let othersGoOn = true
    const others = chargedTo('other', async () => {
      while (othersGoOn) await nextTurn()
    })
    const parts = await partsOf(piecesOf(thousand))
    othersGoOn = false
    await others
    expect(parts.join('')).toBe(thousand.join(''))
    expect(parts.length).toBeLessThan(thousand.length / 2)
  })

  it('never has much of itself ready at once', async () => {
    const long = 'x'.repeat(40_000)
    const parts = await partsOf(piecesOf([long, long, long, '']))
    expect(parts.join('')).toHaveLength(120_000)
    for (const part of parts) expect(part.length).toBeLessThan(2 * 64 * 1024)
  })

  it('ends its pieces when nobody reads on', async () => {
    let ended = false
    const text = inTurnsOf(
      'account',
      piecesOf(['one', 'two'], () => {
        ended = true
      }),
    )
    await text.next()
    await text.return(undefined)
    expect(ended).toBe(true)
  })
})
