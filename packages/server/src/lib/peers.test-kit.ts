import { makeEars, type Peers } from './peers.ts'

/** Servers in one process that hear each other at once. */
export function makeRoom(epoch: string) {
  const present = new Set<ReturnType<typeof makeEars>>()
  const onGaps = new Map<ReturnType<typeof makeEars>, () => void>()
  let position = 0
  let isQuiet = false
  const say = (to: Iterable<ReturnType<typeof makeEars>>, name: string, body: unknown) => {
    position++
    if (isQuiet) return
    for (const ears of to) for (const listener of ears.of(name)) listener(body, position)
  }
  return {
    /** Nobody hears anything meanwhile; afterwards all know that they may have missed something. */
    async quietly(act: () => Promise<unknown>): Promise<void> {
      isQuiet = true
      await act().finally(() => {
        isQuiet = false
      })
      for (const gap of onGaps.values()) gap()
    },
    join(): Peers {
      const ears = makeEars()
      present.add(ears)
      return {
        epoch,
        position: () => position,
        tell: (topic, body) => say([...present], topic.name, body),
        tellOthers: (topic, body) =>
          say(
            [...present].filter((one) => one !== ears),
            topic.name,
            body,
          ),
        hear: ears.hear,
        onBack() {},
        onGap(listener) {
          const before = onGaps.get(ears)
          onGaps.set(ears, () => {
            before?.()
            listener()
          })
        },
        async close() {
          present.delete(ears)
          onGaps.delete(ears)
        },
      }
    },
  }
}
