/** The one event stream of all tabs that show the same user. Browsers end this worker with the last of them. */
import { makeHub, type ToHub } from './hub.ts'

const hub = makeHub((url) => new EventSource(url, { withCredentials: true }))

// The compiler assumes that this file runs in a page.
const scope = globalThis as unknown as { onconnect: (event: MessageEvent) => void }

scope.onconnect = ({ ports: [port] }) => {
  if (!port) return
  const tell = (message: unknown) => port.postMessage(message)
  // Only the console's own pages can connect.
  port.onmessage = ({ data }: MessageEvent<ToHub>) => hub.take(tell, data)
}
