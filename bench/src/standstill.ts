import { readFile } from 'node:fs/promises'

/** How long a guest stood still each time, in milliseconds, by the times QEMU wrote into its journal. */
export async function standstills(journal: string): Promise<number[]> {
  const spans: number[] = []
  let stopped: number | null = null
  for (const line of (await readFile(journal, 'utf8')).split('\n')) {
    if (!/"(STOP|RESUME)"/.test(line)) continue
    const { event, timestamp } = JSON.parse(line) as {
      event: string
      timestamp: { seconds: number; microseconds: number }
    }
    const at = timestamp.seconds * 1000 + timestamp.microseconds / 1000
    if (event === 'STOP') stopped ??= at
    else if (stopped !== null) {
      spans.push(at - stopped)
      stopped = null
    }
  }
  return spans
}
