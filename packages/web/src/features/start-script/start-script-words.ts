import { type StartScriptState, startScriptBytes, utf8Bytes } from '@slipway/contract'

/** How a state is called, and the status whose icon it has. */
export function lookOf(state: StartScriptState): { glyph: string; label: string } {
  switch (state) {
    case 'succeeded':
      return { glyph: 'completed', label: 'Succeeded' }
    case 'failed':
      return { glyph: 'failed', label: 'Failed' }
    case 'running':
      return { glyph: 'processing', label: 'Running' }
    case 'waiting':
      return { glyph: 'pending', label: 'Waiting for the first boot' }
    default:
      return { glyph: 'unknown', label: 'Result unknown' }
  }
}

/** How much of the limit a script takes, such as `12 bytes of 64 kB`. */
export function sizeOf(script: string): string {
  const bytes = utf8Bytes(script)
  return `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'} of ${startScriptBytes / 1024} kB`
}
