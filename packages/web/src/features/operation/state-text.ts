import type { Operation } from '@slipway/contract'

/** What an operation does now, or what it waits for. */
export function stateText({ state, progress, message, position }: Operation): string {
  if (state === 'running') return progress === null ? 'Running' : `Running, ${Math.floor(progress * 100)} %`
  const place = position === null ? '' : ` Number ${position} in the queue.`
  return `${message ?? 'Waiting for another try.'}${place}`
}
