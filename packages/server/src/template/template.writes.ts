/** What the catalogue and the bin of templates both write. */
import type { Tx } from '../db/open.ts'

/** Within the transaction that deletes a template for good. */
export async function dropStartScript(tx: Tx, templateId: string): Promise<void> {
  await tx.deleteFrom('template_start_script').where('template_id', '=', templateId).execute()
}
