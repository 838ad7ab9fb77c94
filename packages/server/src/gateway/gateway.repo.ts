import { projectRoles, roleMay } from '@slipway/contract'
import type { Db } from '../db/open.ts'
import { isTenable, isTrusted } from '../ssh-key/ssh-key.conditions.ts'
import type { Candidate } from './gateway.plan.ts'

interface Visited {
  vmId: string
  accountId: string
  fingerprint: string
}

/** The roles that enter VMs, as they open consoles. */
const entering = projectRoles.filter((role) => roleMay(role, 'vm.console') === true)

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
      .leftJoin('account_deletion as leaving', 'leaving.account_id', 'account.id')
      .where('leaving.account_id', 'is', null)

  /** With the VMs of the projects where those accounts may do more than look. */
  const entered = (fingerprint: string) =>
    keys(fingerprint)
      .innerJoin('project_member as member', 'member.account_id', 'ssh_key.account_id')
      .innerJoin('project', 'project.id', 'member.project_id')
      .innerJoin('vm', 'vm.project_id', 'project.id')
      .where('member.role', 'in', entering)

  return {
    /** Whether an account that came into a VM by a key of its own may stay; it may not once another account has proven the key. */
    async mayStay({ vmId, accountId, fingerprint }: Visited): Promise<boolean> {
      const row = await entered(fingerprint)
        .where(isTenable())
        .where('vm.id', '=', vmId)
        .where('ssh_key.account_id', '=', accountId)
        .select('vm.id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** The VMs of a project that an account may not enter, or not any more. */
    async closedTo(accountId: string, projectId: string): Promise<string[]> {
      const member = await db
        .selectFrom('project_member')
        .select('role')
        .where('project_id', '=', projectId)
        .where('account_id', '=', accountId)
        .where('role', 'in', entering)
        .executeTakeFirst()
      if (member) return []
      const rows = await db.selectFrom('vm').select('id').where('project_id', '=', projectId).execute()
      return rows.map(({ id }) => id)
    },

    /** The accounts that stored a key and may sign in. */
    async accountsOf(fingerprint: string): Promise<string[]> {
      const rows = await keys(fingerprint).select('ssh_key.account_id').execute()
      return rows.map((row) => row.account_id)
    },

    /** Those of them that are known by it. */
    async trustedOf(fingerprint: string): Promise<string[]> {
      const rows = await keys(fingerprint).where(isTrusted()).select('ssh_key.account_id').execute()
      return rows.map((row) => row.account_id)
    },

    /** What to call a VM and an account's key by; null when one of them is gone. */
    async namesOf({ vmId, accountId, fingerprint }: Visited) {
      const row = await keys(fingerprint)
        .innerJoin('vm', (join) => join.on('vm.id', '=', vmId))
        .where('ssh_key.account_id', '=', accountId)
        .select(['vm.name as vm_name', 'vm.project_id', 'ssh_key.name as key_name'])
        .executeTakeFirst()
      return row ? { vm: row.vm_name, projectId: row.project_id, key: row.key_name } : null
    },

    /** The VMs that accounts which are known by a key may enter; all of them, or the one with an id. Each once, by the key stored first. */
    async candidates(fingerprint: string, vmId: string | null): Promise<Candidate[]> {
      const rows = await entered(fingerprint)
        .where(isTrusted())
        .where('vm.wanted_deleted', '=', 0)
        .$if(vmId !== null, (query) => query.where('vm.id', '=', vmId ?? ''))
        .select([
          'vm.id',
          'vm.name',
          'project.name as project_name',
          'ssh_key.account_id',
          'vm.status',
          'vm.status_message',
          'vm.ip_address',
        ])
        .orderBy('vm.id')
        .orderBy('ssh_key.id')
        .execute()
      const once = new Map(rows.toReversed().map((row) => [row.id, row]))
      return [...once.values()].reverse().map((row) => ({
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
