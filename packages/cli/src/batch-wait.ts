import { batchSummary, batchTitle } from '@slipway/contract/batch.rules.ts'
import type { CommonFlags } from './arguments.ts'
import { Failure } from './failure.ts'
import { print } from './output.ts'
import type { Session } from './session.ts'
import { patiently } from './settle.ts'

/**
 * Waits until a batch has made all its calls and prints what came of each. Throws when one was refused or left out, so that a script
 * notices.
 */
export async function awaitBatch(
  session: Session,
  params: { projectId: string; batchId: string },
  { timeout, json }: Pick<CommonFlags, 'timeout' | 'json'>,
): Promise<void> {
  const batch = await patiently(timeout, async () => {
    const found = await session.ask('batch.get', { params })
    if (found.ended_at !== null) return { settled: found }
    const { action, counts, for_good } = found
    const title = batchTitle(action, counts.total, for_good)
    return { still: `"${title}" is not done yet: ${batchSummary(counts)}` }
  })
  print(json ? JSON.stringify(batch) : (await import('./table.ts')).shown(batch, 'batch'))
  if (batch.counts.done < batch.counts.total) throw new Failure('failed', `${batchSummary(batch.counts)}.`)
}
