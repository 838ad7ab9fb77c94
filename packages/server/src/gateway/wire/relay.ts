import type { Leg } from './leg.ts'
import { limitPackets, tellsHostKeys } from './packets.ts'

/**
 * Lets a client and a guest speak with each other. Every message of the connection protocol goes to the other side
 * as it is: channel numbers, windows, ends and refusals are theirs, so whatever the two of them can do works, and
 * nothing is kept here but what a socket holds.
 */
export function relay(client: Leg, guest: Leg): void {
  pass(client, guest)
  pass(guest, client, tellsHostKeys)
}

function pass(from: Leg, to: Leg, drops: (payload: Buffer) => boolean = () => false): void {
  from.take((payload) => {
    if (drops(payload)) return true
    limitPackets(payload)
    to.send(payload)
    if (to.isFull()) from.socket.pause()
    return true
  })
  to.onRoom(() => {
    if (!to.isFull()) from.socket.resume()
  })
}
