import { makeEars, type Peers } from './peers.ts'

/** Servers in one process that hear each other at once. */
export function makeRoom(epoch: string) {
  const present = new Set<ReturnType<typeof makeEars>>()
  let position = 0
  const say = (to: Iterable<ReturnType<typeof makeEars>>, name: string, body: unknown) => {
    position++
    for (const ears of to) for (const listener of ears.of(name)) listener(body, position)
  }
  return {
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
        onGap() {},
        async close() {
          present.delete(ears)
        },
      }
    },
  }
}
