import type { Db } from '../db/open.ts'
import type { Candidate } from './gateway.plan.ts'

export type GatewayRepo = ReturnType<typeof makeGatewayRepo>

export function makeGatewayRepo(db: Db) {
  /** The keys with that fingerprint whose accounts may sign in. */
  const keys = (fingerprint: string) =>
    db
      .selectFrom('ssh_key')
      .innerJoin('account', 'account.id', 'ssh_key.account_id')
      .where('ssh_key.fingerprint', '=', fingerprint)
      .where('account.disabled_at', 'is', null)
      .where('account.email_verified_at', 'is not', null)

  return {
    /** The accounts that stored a key and may sign in. */
    async accountsOf(fingerprint: string): Promise<string[]> {
      const rows = await keys(fingerprint).select('ssh_key.account_id').execute()
      return rows.map((row) => row.account_id)
    },

    /** What to call a VM and an account's key by; null when one of them is gone. */
    async namesOf({
      vmId,
      accountId,
      fingerprint,
    }: {
      vmId: string
      accountId: string
      fingerprint: string
    }) {
      const row = await keys(fingerprint)
        .innerJoin('project', 'project.account_id', 'ssh_key.account_id')
        .innerJoin('vm', 'vm.project_id', 'project.id')
        .where('vm.id', '=', vmId)
        .where('ssh_key.account_id', '=', accountId)
        .select(['vm.name as vm_name', 'vm.project_id', 'ssh_key.name as key_name'])
        .executeTakeFirst()
      return row ? { vm: row.vm_name, projectId: row.project_id, key: row.key_name } : null
    },

    /** The VMs of the accounts that stored a key; of all of them, or the one with an id. */
    async candidates(fingerprint: string, vmId: string | null): Promise<Candidate[]> {
      const rows = await keys(fingerprint)
        .innerJoin('project', 'project.account_id', 'ssh_key.account_id')
        .innerJoin('vm', 'vm.project_id', 'project.id')
        .where('vm.wanted_deleted', '=', 0)
        .$if(vmId !== null, (query) => query.where('vm.id', '=', vmId ?? ''))
        .select([
          'vm.id',
          'vm.name',
          'project.name as project_name',
          'project.account_id',
          'vm.status',
          'vm.status_message',
          'vm.ip_address',
        ])
        .orderBy('vm.id')
        .execute()
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        projectName: row.project_name,
        accountId: row.account_id,
        status: row.status,
        statusMessage: row.status_message,
        ip: row.ip_address,
      }))
    },
  }
}
