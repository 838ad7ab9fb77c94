import {
  type Activity,
  accountApi,
  accountDeletionApi,
  accountSettingsApi,
  adminAccountApi,
  adminMailApi,
  apiTokenApi,
  batchApi,
  binApi,
  type CodeNeeded,
  diskSnapshotScheduleApi,
  type EndpointId,
  endpoints,
  fillPath,
  handOverApi,
  messages,
  networkApi,
  noticeApi,
  oidcApi,
  operationApi,
  passkeyApi,
  projectApi,
  projectBinApi,
  projectMemberApi,
  proofApi,
  shareApi,
  sshKeyApi,
  templateApi,
  templateBinApi,
  totpApi,
  uploadApi,
  vmApi,
  vmPoolApi,
  vmSetApi,
  vmSnapshotApi,
  vmSnapshotScheduleApi,
  webhookApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, newPublicKey, type TestApp, tokenOf, withoutBin } from '../app.test-kit.ts'
import { refuse } from '../db/database.test-kit.ts'
import { atDesk, type Desk } from '../desk.test-kit.ts'
import { quietGateway } from '../gateway/gateway.test-kit.ts'
import { browserAt, startProvider } from '../oidc.test-kit.ts'
import { addPasskey, beginSignIn, makeAuthenticator, testOrigin } from '../passkey.test-kit.ts'
import { codeAt, turnOnTotp } from '../totp.test-kit.ts'

const provider = await startProvider()

type Row = Omit<Activity, 'actor' | 'object'> & {
  account_id: string | null
  actor_id: string | null
  actor_name: string | null
  object_type: string
  object_id: string
  object_name: string
}

/** Every entry there is, oldest first, as it is stored. */
const stored = (desk: Desk) =>
  desk.app.db.selectFrom('activity').selectAll().orderBy('id').execute() as unknown as Promise<Row[]>

/** Everything that requests change; a session tells when it was last used by whoever uses it. */
const everything = async ({ app: { db } }: Desk) => [
  ...(await Promise.all(
    (
      [
        ...([
          'account',
          'account_deletion',
          'mail_token',
          'mail_token',
          'totp',
          'recovery_code',
          'passkey',
          'project',
          'ssh_key',
          'api_token',
          'template',
          'template_bin',
          'vm',
          'disk',
          'upload',
        ] as const),
        ...(['project_member', 'project_invitation', 'hand_over'] as const),
        ...([
          'snapshot_schedule',
          'vm_snapshot',
          'disk_snapshot',
          'vm_group',
          'vm_group_event',
          'share',
          'batch',
          'batch_item',
          'webhook',
          'webhook_delivery',
          'bin',
        ] as const),
        ...(['quota', 'activity', 'identity', 'oidc_session', 'oidc_logout', 'notice'] as const),
      ] as const
    ).map((table) => db.selectFrom(table).selectAll().execute()),
  )),
  await db.selectFrom('session').select('token_hash').execute(),
]

/** What was made, of several the first. */
const firstOf = <T>(made: T | T[]): T => [made].flat()[0] as T

/** What happened since some entries, as `kind action` and object. */
const toldSince = (entries: readonly Row[], before: readonly Row[]) =>
  entries.slice(before.length).map(({ kind, action, object_name }) => `${kind} ${action} ${object_name}`)

const account = async (desk: Desk) => {
  const { id, name } = (await desk.ada.call(accountApi.me)).body
  return { type: 'account', id, name }
}

interface Deed {
  /** Answers with what the request was answered. */
  act: () => Promise<{ status: number; body: unknown }>
  /** What the entry is about; the id is that of the answer unless it is known before. Null: there is no entry. */
  object: { type: string; name: string; id?: string } | null
  /** Whose log it stands in. */
  in: 'account' | 'project' | 'both'
  message: string
  /** Who does it, unless it is the only person there or the account itself. */
  by?: string
  /** A person who is not signed in is nobody. */
  byNobody?: true
  /** It is done after the answer, which must not tell whether there is such an account. */
  afterAnswer?: true
}

/** Waits also for what is done after the answer. */
async function mailed<T>(app: TestApp, act: () => Promise<T>): Promise<T> {
  const answer = await act()
  await app.idle()
  return answer
}

/** Somebody who may go: the only administrator may not. */
async function leaver(app: TestApp) {
  const bob = await app.signedIn('Bob')
  const { id, name } = (await bob.call(accountApi.me)).body
  return { bob, object: { type: 'account', id, name } }
}

const password = 'Correct-horse-2'
const valid = { name: 'Rust', description: 'Compiler', default_cpu: 2, default_memory_mb: 1024 }

const share = (desk: Desk, vmId: string) =>
  desk.ada.call(shareApi.create, { params: { ...desk.params, vmId }, body: { port: 3000 } })

/** Somebody who is invited, and joins unless `joins` is false. */
async function guest({ app, ada, params }: Desk, joins = true) {
  const bob = await app.signedIn('Bob')
  const body = { email: bob.email, role: 'viewer' as const }
  const { body: invitation } = await ada.call(projectMemberApi.invite, { params, body })
  const token = tokenOf(lastMail(app.mails, bob.email))
  if (joins) await bob.call(projectMemberApi.accept, { body: { token } })
  const { id } = (await bob.call(accountApi.me)).body
  return { bob, token, invitationId: invitation.id, params: { ...params, memberId: id } }
}

const nightly = { daily: { time: '03:00', keep: 7 } }

const ofProject = ({ params }: Desk, message: string) =>
  ({ object: { type: 'project', name: 'p', id: params.projectId }, in: 'project', message }) as const

/** How each call that changes something is made with success, in a project that is ready for it. */
const deeds: Partial<Record<EndpointId, (desk: Desk) => Promise<Deed>>> = {
  'account.signUp': async ({ app }) => ({
    act: async () => {
      const body = { name: 'Grace', email: 'grace@slipway.test', password }
      const answer = await app.client().call(accountApi.signUp, { body })
      return { status: answer.status, body: answer.body.user }
    },
    object: { type: 'account', name: 'Grace' },
    in: 'account',
    message: 'Signed up',
  }),
  'account.signIn': async (desk) => ({
    act: () => {
      const { email, password } = desk.ada
      return desk.app.client().call(accountApi.signIn, { body: { email, password } })
    },
    object: await account(desk),
    in: 'account',
    message: 'Signed in',
  }),
  'account.signInWithCode': async (desk) => {
    const totp = await turnOnTotp(desk.ada, desk.app.clock)
    const { email, password } = desk.ada
    const { body } = await desk.app.client().call(accountApi.signIn, { body: { email, password } })
    const { token } = (body as CodeNeeded).code_needed
    return {
      act: () => desk.app.client().call(accountApi.signInWithCode, { body: { token, code: totp.next() } }),
      object: await account(desk),
      in: 'account',
      message: 'Signed in',
    }
  },
  'account.signInWithPasskey': async (desk) => {
    const phone = await addPasskey(desk.ada)
    const passkey = phone.use(await beginSignIn(desk.app))
    return {
      act: () => desk.app.client().call(accountApi.signInWithPasskey, { body: { passkey } }),
      object: await account(desk),
      in: 'account',
      message: 'Signed in',
    }
  },
  // What a browser is asked is no change yet.
  'account.beginPasskey': async ({ app }) => ({
    act: () => app.client().call(accountApi.beginPasskey),
    object: null,
    in: 'account',
    message: '',
  }),
  'proof.beginPasskey': async ({ ada }) => ({
    act: () => ada.call(proofApi.beginPasskey),
    object: null,
    in: 'account',
    message: '',
  }),
  'passkey.begin': async ({ ada }) => ({
    act: () => ada.call(passkeyApi.begin),
    object: null,
    in: 'account',
    message: '',
  }),
  'passkey.create': async ({ ada }) => {
    const passkey = makeAuthenticator().make((await ada.call(passkeyApi.begin)).body)
    return {
      act: () => ada.call(passkeyApi.create, { body: { name: 'Phone', passkey } }),
      object: { type: 'passkey', name: 'Phone' },
      in: 'account',
      message: 'Added passkey Phone',
    }
  },
  'passkey.rename': async ({ ada }) => {
    const { passkeyId } = await addPasskey(ada)
    return {
      act: () => ada.call(passkeyApi.rename, { params: { passkeyId }, body: { name: 'Key ring' } }),
      object: { type: 'passkey', name: 'Key ring', id: passkeyId },
      in: 'account',
      message: 'Renamed passkey Phone to Key ring',
    }
  },
  'passkey.delete': async ({ ada }) => {
    const { passkeyId } = await addPasskey(ada)
    return {
      act: () => ada.call(passkeyApi.delete, { params: { passkeyId } }),
      object: { type: 'passkey', name: 'Phone', id: passkeyId },
      in: 'account',
      message: 'Removed passkey Phone',
    }
  },
  'proof.give': async (desk) => ({
    act: () => desk.ada.call(proofApi.give, { body: { password: desk.ada.password } }),
    object: await account(desk),
    in: 'account',
    message: 'Confirmed their identity',
  }),
  'totp.begin': async (desk) => ({
    act: () => desk.ada.call(totpApi.begin),
    object: await account(desk),
    in: 'account',
    message: 'Began to set up two-factor authentication',
  }),
  'totp.confirm': async (desk) => {
    const { secret } = (await desk.ada.call(totpApi.begin)).body
    const code = codeAt(secret, desk.app.clock.now())
    return {
      act: () => desk.ada.call(totpApi.confirm, { body: { code } }),
      object: await account(desk),
      in: 'account',
      message: 'Turned two-factor authentication on',
    }
  },
  'totp.remove': async (desk) => {
    await turnOnTotp(desk.ada, desk.app.clock)
    return {
      act: () => desk.ada.call(totpApi.remove),
      object: await account(desk),
      in: 'account',
      message: 'Turned two-factor authentication off',
    }
  },
  'totp.renewCodes': async (desk) => {
    await turnOnTotp(desk.ada, desk.app.clock)
    return {
      act: () => desk.ada.call(totpApi.renewCodes),
      object: await account(desk),
      in: 'account',
      message: 'Created new recovery codes',
    }
  },
  'account.signOut': async (desk) => ({
    act: () => desk.ada.call(accountApi.signOut),
    object: await account(desk),
    in: 'account',
    message: 'Signed out',
  }),
  'account.resendVerification': async ({ app }) => {
    const body = { name: 'Grace', email: 'grace@slipway.test', password }
    const { user } = (await app.client().call(accountApi.signUp, { body })).body
    return {
      act: () => mailed(app, () => app.client().call(accountApi.resendVerification, { body: user })),
      afterAnswer: true,
      object: { type: 'account', name: 'Grace', id: user.id },
      in: 'account',
      message: 'A new verification link was requested',
      byNobody: true,
    }
  },
  'account.verifyEmail': async ({ app }) => {
    const body = { name: 'Grace', email: 'grace@slipway.test', password }
    const { user } = (await app.client().call(accountApi.signUp, { body })).body
    const token = tokenOf(lastMail(app.mails, user.email))
    return {
      act: () => app.client().call(accountApi.verifyEmail, { body: { token } }),
      object: { type: 'account', name: 'Grace', id: user.id },
      in: 'account',
      message: 'Verified the email address',
    }
  },
  'account.forgotPassword': async (desk) => ({
    act: () =>
      mailed(desk.app, () =>
        desk.app.client().call(accountApi.forgotPassword, { body: { email: desk.ada.email } }),
      ),
    afterAnswer: true,
    object: await account(desk),
    in: 'account',
    message: 'A password reset link was requested',
    byNobody: true,
  }),
  'account.resetPassword': async (desk) => {
    await desk.app.client().call(accountApi.forgotPassword, { body: { email: desk.ada.email } })
    await desk.app.idle()
    const token = tokenOf(lastMail(desk.app.mails, desk.ada.email))
    return {
      act: () => desk.app.client().call(accountApi.resetPassword, { body: { token, password } }),
      object: await account(desk),
      in: 'account',
      message: 'Reset the password with an emailed link',
    }
  },
  'account.update': async (desk) => ({
    act: () => desk.ada.call(accountSettingsApi.update, { body: { name: 'Countess' } }),
    object: { ...(await account(desk)), name: 'Countess' },
    in: 'account',
    message: 'Changed the name to Countess',
  }),
  'account.changePassword': async (desk) => {
    const body = { password }
    return {
      act: () => desk.ada.call(accountSettingsApi.changePassword, { body }),
      object: await account(desk),
      in: 'account',
      message: 'Changed the password',
    }
  },
  'account.changeEmail': async (desk) => {
    const body = { email: 'countess@slipway.test' }
    return {
      act: () => desk.ada.call(accountSettingsApi.changeEmail, { body }),
      object: await account(desk),
      in: 'account',
      message: 'Change of the email address requested',
    }
  },
  'account.confirmEmail': async (desk) => {
    const body = { email: 'countess@slipway.test' }
    await desk.ada.call(accountSettingsApi.changeEmail, { body })
    const token = tokenOf(lastMail(desk.app.mails, body.email))
    return {
      act: () => desk.app.client().call(accountSettingsApi.confirmEmail, { body: { token } }),
      object: await account(desk),
      in: 'account',
      message: 'Changed the email address',
    }
  },
  'account.endSession': async (desk) => {
    const { email, password } = desk.ada
    await desk.app.client().call(accountApi.signIn, { body: { email, password } })
    const sessions = (await desk.ada.call(accountSettingsApi.sessions)).body
    const sessionId = sessions.find(({ current }) => !current)?.id ?? ''
    return {
      act: () => desk.ada.call(accountSettingsApi.endSession, { params: { sessionId } }),
      object: await account(desk),
      in: 'account',
      message: 'Ended a session',
    }
  },
  'account.endOtherSessions': async (desk) => ({
    act: () => desk.ada.call(accountSettingsApi.endOtherSessions),
    object: await account(desk),
    in: 'account',
    message: 'Ended all other sessions',
  }),
  'accountDeletion.request': async ({ app }) => {
    const { bob, object } = await leaver(app)
    return {
      act: () => bob.call(accountDeletionApi.request),
      object,
      in: 'account',
      message: 'Deletion of the account in 30 days requested',
    }
  },
  'accountDeletion.cancel': async ({ app }) => {
    const { bob, object } = await leaver(app)
    const { email, password } = bob
    await bob.call(accountDeletionApi.request)
    const { cookie } = await app.client().call(accountApi.signIn, { body: { email, password } })
    return {
      act: () => app.client(cookie).call(accountDeletionApi.cancel),
      object,
      in: 'account',
      message: 'Kept the account',
    }
  },
  'oidc.begin': async ({ app }) => ({
    act: () => app.client().call(oidcApi.begin, { params: { provider: 'office' }, body: {} }),
    // Nothing has happened yet.
    object: null,
    in: 'account',
    message: '',
  }),
  'oidc.link': async ({ ada }) => {
    const body = { provider: 'office' }
    return { act: () => ada.call(oidcApi.link, { body }), object: null, in: 'account', message: '' }
  },
  'oidc.unlink': async (desk) => {
    const of = await account(desk)
    const row = {
      id: 'i',
      issuer: provider.issuer,
      subject: 'ada',
      email: null,
      linked_at: '',
      last_used_at: '',
    }
    await desk.app.db
      .insertInto('identity')
      .values({ ...row, account_id: of.id })
      .execute()
    return {
      act: () => desk.ada.call(oidcApi.unlink, { params: { identityId: row.id } }),
      object: of,
      in: 'account',
      message: 'Unlinked the identity at Office',
    }
  },
  'oidc.signOut': async ({ app }) => {
    provider.people.set('grace', { email: 'grace@slipway.test', email_verified: true, name: 'Grace' })
    const grace = browserAt(app, provider)
    await grace.signIn('grace')
    const token = await provider.logoutToken({ jti: 'one', sub: 'grace' })
    return {
      act: () =>
        app
          .client()
          .raw('POST', fillPath(oidcApi.signOut.path, { provider: 'office' }), `logout_token=${token}`, {
            'content-type': 'application/x-www-form-urlencoded',
          }),
      object: { type: 'account', name: 'Grace', id: (await grace.me())?.id ?? '' },
      in: 'account',
      message: 'Signed out by Office',
    }
  },
  'batch.create': async (desk) => {
    const ids = [await desk.runningVm('web')]
    return {
      // Its calls are made later, by the server.
      act: async () => {
        await refuse(desk.app.db, 'update', 'batch_item')
        return desk.ada.call(batchApi.create, { params: desk.params, body: { action: 'vm.stop', ids } })
      },
      object: { type: 'batch', name: 'Stop 1 VM' },
      in: 'project',
      message: 'Stop 1 VM requested',
    }
  },
  'batch.cancel': async (desk) => {
    const { params } = desk
    const ids = [await desk.runningVm('web')]
    const allow = await refuse(desk.app.db, 'update', 'batch_item')
    const { body } = await desk.ada.call(batchApi.create, { params, body: { action: 'vm.stop', ids } })
    await desk.app.idle()
    await allow()
    return {
      act: () => desk.ada.call(batchApi.cancel, { params: { ...params, batchId: body.id } }),
      object: { type: 'batch', name: 'Stop 1 VM' },
      in: 'project',
      message: 'Cancelled the batch "Stop 1 VM"',
    }
  },
  'project.create': async ({ ada }) => ({
    act: () => ada.call(projectApi.create, { body: { name: 'shop' } }),
    object: { type: 'project', name: 'shop' },
    in: 'both',
    message: 'Created project shop',
  }),
  'project.delete': async ({ ada, params }) => ({
    act: () => ada.call(projectApi.delete, { params }),
    object: { type: 'project', name: 'p', id: params.projectId },
    in: 'both',
    message: 'Deleted project p',
  }),
  'network.update': async ({ ada, params }) => ({
    act: () => ada.call(networkApi.update, { params, body: { internet: false } }),
    object: { type: 'project', name: 'p', id: params.projectId },
    in: 'project',
    message: 'Switched off the Internet access of project p',
  }),
  'projectMember.invite': async (desk) => ({
    act: () =>
      desk.ada.call(projectMemberApi.invite, {
        params: desk.params,
        body: { email: 'bob@slipway.test', role: 'viewer' },
      }),
    ...ofProject(desk, 'Invited bob@slipway.test to project p as viewer'),
  }),
  'projectMember.withdraw': async (desk) => {
    const { bob, invitationId } = await guest(desk, false)
    return {
      act: () => desk.ada.call(projectMemberApi.withdraw, { params: { ...desk.params, invitationId } }),
      ...ofProject(desk, `Withdrew the invitation of ${bob.email} to project p`),
    }
  },
  'projectMember.offer': async (desk) => {
    const { bob, token } = await guest(desk, false)
    return {
      act: () => bob.call(projectMemberApi.offer, { body: { token } }),
      // It only looks.
      object: null,
      in: 'project',
      message: '',
    }
  },
  'projectMember.accept': async (desk) => {
    const { bob, token } = await guest(desk, false)
    return {
      act: () => bob.call(projectMemberApi.accept, { body: { token } }),
      ...ofProject(desk, 'Joined project p as viewer'),
      by: 'Bob',
    }
  },
  'projectMember.update': async (desk) => {
    const { params } = await guest(desk)
    return {
      act: () => desk.ada.call(projectMemberApi.update, { params, body: { role: 'operator' } }),
      ...ofProject(desk, 'Made Bob an operator of project p'),
    }
  },
  'projectMember.remove': async (desk) => {
    const { params } = await guest(desk)
    return {
      act: () => desk.ada.call(projectMemberApi.remove, { params }),
      ...ofProject(desk, 'Removed Bob from project p'),
    }
  },
  'projectMember.handOver': async (desk) => {
    const { params } = await guest(desk)
    return {
      act: () => desk.ada.call(projectMemberApi.handOver, { params }),
      ...ofProject(desk, 'Asked Bob to take over project p'),
    }
  },
  'handOver.withdraw': async (desk) => {
    const { params } = await guest(desk)
    await desk.ada.call(projectMemberApi.handOver, { params })
    return {
      act: () => desk.ada.call(handOverApi.withdraw, { params: desk.params }),
      ...ofProject(desk, 'Withdrew the hand-over of project p to Bob'),
    }
  },
  'handOver.accept': async (desk) => {
    const { bob, params } = await guest(desk)
    await desk.ada.call(projectMemberApi.handOver, { params })
    return {
      act: () => bob.call(handOverApi.accept, { params: desk.params }),
      ...ofProject(desk, 'Took over project p from Ada Lovelace'),
      by: 'Bob',
    }
  },
  'handOver.decline': async (desk) => {
    const { bob, params } = await guest(desk)
    await desk.ada.call(projectMemberApi.handOver, { params })
    return {
      act: () => bob.call(handOverApi.decline, { params: desk.params }),
      ...ofProject(desk, 'Declined to take over project p from Ada Lovelace'),
      by: 'Bob',
    }
  },
  'projectMember.leave': async (desk) => {
    const { bob } = await guest(desk)
    return {
      act: () => bob.call(projectMemberApi.leave, { params: desk.params }),
      ...ofProject(desk, 'Left project p'),
      by: 'Bob',
    }
  },
  'sshKey.create': async ({ ada }) => ({
    act: () => ada.call(sshKeyApi.create, { body: { key_name: 'laptop', ssh_public_key: newPublicKey() } }),
    object: { type: 'ssh_key', name: 'laptop' },
    in: 'account',
    message: 'Added SSH key laptop',
  }),
  'sshKey.prove': async ({ ada, keyId }) => ({
    act: () => ada.call(sshKeyApi.prove, { params: { sshKeyId: keyId } }),
    object: { type: 'ssh_key', name: 'k', id: keyId },
    in: 'account',
    message: 'Requested proof of SSH key k',
  }),
  'sshKey.delete': async ({ ada, keyId }) => ({
    act: () => ada.call(sshKeyApi.delete, { params: { sshKeyId: keyId } }),
    object: { type: 'ssh_key', name: 'k', id: keyId },
    in: 'account',
    message: 'Deleted SSH key k',
  }),
  'apiToken.create': async ({ ada }) => ({
    act: () => ada.call(apiTokenApi.create, { body: { name: 'ci', access: 'read', project_ids: null } }),
    object: { type: 'api_token', name: 'ci' },
    in: 'account',
    message: 'Created API token ci',
  }),
  'apiToken.delete': async ({ ada }) => {
    const body = { name: 'ci', access: 'read', project_ids: null } as const
    const { id } = (await ada.call(apiTokenApi.create, { body })).body
    return {
      act: () => ada.call(apiTokenApi.delete, { params: { apiTokenId: id } }),
      object: { type: 'api_token', name: 'ci', id },
      in: 'account',
      message: 'Revoked API token ci',
    }
  },
  ...Object.fromEntries(
    (['disable', 'enable', 'setLimits'] as const).map((what) => [
      `adminAccount.${what}`,
      async (desk: Desk): Promise<Deed> => {
        const bob = await desk.app.signedIn('Bob')
        const { id } = (await bob.call(accountApi.me)).body
        const params = { accountId: id }
        if (what === 'enable') await desk.ada.call(adminAccountApi.disable, { params })
        return {
          act: () =>
            what === 'setLimits'
              ? desk.ada.call(adminAccountApi.setLimits, { params, body: { vms: 2 } })
              : desk.ada.call(adminAccountApi[what], { params }),
          object: { type: 'account', name: 'Bob', id },
          in: 'account',
          message: {
            disable: 'Disabled account Bob',
            enable: 'Enabled account Bob',
            setLimits: 'Set the limits of account Bob: 2 VMs',
          }[what],
        }
      },
    ]),
  ),
  'adminAccount.removeTotp': async ({ app, ada }) => {
    const bob = await app.signedIn('Bob')
    await turnOnTotp(bob, app.clock)
    const { id } = (await bob.call(accountApi.me)).body
    return {
      act: () => ada.call(adminAccountApi.removeTotp, { params: { accountId: id } }),
      object: { type: 'account', name: 'Bob', id },
      in: 'account',
      message: 'Turned two-factor authentication of account Bob off',
    }
  },
  'adminMail.retry': async (desk) => {
    const { app, ada } = desk
    const { id } = await app.db.selectFrom('mail_queue').select('id').executeTakeFirstOrThrow()
    await app.db
      .updateTable('mail_queue')
      .set({ state: 'failed', content: 'sealed', expires_at: null })
      .execute()
    return {
      act: () => ada.call(adminMailApi.retry, { params: { mailId: id } }),
      object: await account(desk),
      in: 'account',
      message: `Had the mail verify to ${ada.email} sent again`,
    }
  },
  'notice.set': async (desk) => ({
    act: () => desk.ada.call(noticeApi.set, { body: { tone: 'info', text: 'Hello' } }),
    object: await account(desk),
    in: 'account',
    message: 'Set the notice for everybody',
  }),
  'notice.remove': async (desk) => {
    await desk.ada.call(noticeApi.set, { body: { tone: 'info', text: 'Hello' } })
    return {
      act: () => desk.ada.call(noticeApi.remove),
      object: await account(desk),
      in: 'account',
      message: 'Removed the notice for everybody',
    }
  },
  'template.create': async ({ ada }) => ({
    act: () => ada.call(templateApi.create, { body: valid }),
    object: { type: 'template', name: 'Rust' },
    in: 'account',
    message: 'Added template Rust',
  }),
  ...Object.fromEntries(
    (
      [
        ['update', 'Changed template Rust'],
        ['retire', 'Retired template Rust'],
        ['offer', 'Offered template Rust again'],
        ['delete', 'Deleted template Rust'],
      ] as const
    ).map(([what, message]) => [
      `template.${what}`,
      async ({ ada }: Desk): Promise<Deed> => {
        const { id } = (await ada.call(templateApi.create, { body: valid })).body
        const params = { templateId: id }
        if (what === 'offer') await ada.call(templateApi.retire, { params })
        return {
          act: () => ada.call(templateApi[what], { params, ...(what === 'update' && { body: valid }) }),
          object: { type: 'template', name: 'Rust', id },
          in: 'account',
          message,
        }
      },
    ]),
  ),
  ...Object.fromEntries(
    (
      [
        ['restore', 'Restored template Rust from the bin'],
        ['delete', 'Deleted template Rust in the bin for good'],
      ] as const
    ).map(([what, message]) => [
      `templateBin.${what}`,
      async ({ ada }: Desk): Promise<Deed> => {
        const { id } = (await ada.call(templateApi.create, { body: valid })).body
        await ada.call(templateApi.delete, { params: { templateId: id } })
        return {
          act: () => ada.call(templateBinApi[what], { params: { itemId: id } }),
          // A built-in template has its name.
          object: { type: 'template', name: what === 'restore' ? 'Rust-2' : 'Rust', id },
          in: 'account',
          message,
        }
      },
    ]),
  ),
  'template.checkImage': async ({ ada }) => ({
    act: () => ada.call(templateApi.checkImage, { body: { image_url: null } }),
    // It only looks.
    object: null,
    in: 'account',
    message: '',
  }),
  'template.prepare': async ({ ada }) => ({
    act: () => ada.call(templateApi.prepare, { params: { templateId: 'starter' } }),
    object: { type: 'template', name: 'Starter Linux', id: 'starter' },
    in: 'account',
    message: 'Prepare boot image of template Starter Linux requested',
  }),
  'vm.create': async (desk) => ({
    act: () => desk.createVm('web'),
    object: { type: 'vm', name: 'web' },
    in: 'project',
    message: 'Create VM web requested',
  }),
  'vm.delete': async (desk) => {
    const id = await desk.runningVm('web')
    return {
      act: () => desk.deleteVm(id),
      object: { type: 'vm', name: 'web', id },
      in: 'project',
      message: 'Delete VM web requested',
    }
  },
  'vm.start': async (desk) => {
    const id = await desk.stoppedVm('web')
    return {
      act: () => desk.act('start', id),
      object: { type: 'vm', name: 'web', id },
      in: 'project',
      message: 'Start VM web requested',
    }
  },
  'vm.stop': async (desk) => {
    const id = await desk.runningVm('web')
    return {
      act: () => desk.act('stop', id),
      object: { type: 'vm', name: 'web', id },
      in: 'project',
      message: 'Stop VM web requested',
    }
  },
  'vm.suspend': async (desk) => {
    const id = await desk.runningVm('web')
    return {
      act: () => desk.act('suspend', id),
      object: { type: 'vm', name: 'web', id },
      in: 'project',
      message: 'Suspend VM web requested',
    }
  },
  'vm.update': async (desk) => {
    const id = await desk.runningVm('web')
    const body = { suspend_after_minutes: 30 }
    return {
      act: () => desk.ada.call(vmApi.update, { params: { ...desk.params, vmId: id }, body }),
      object: { type: 'vm', name: 'web', id },
      in: 'project',
      message: 'VM web is to be suspended after 30 minutes without use',
    }
  },
  'vm.keepAwake': async (desk) => {
    const id = await desk.runningVm('web')
    return {
      act: () => desk.ada.call(vmApi.keepAwake, { params: { ...desk.params, vmId: id } }),
      object: { type: 'vm', name: 'web', id },
      in: 'project',
      message: 'Kept VM web awake',
    }
  },
  'vm.fork': async (desk) => {
    const vmId = await desk.runningVm('web')
    const body = { name: 'copy' }
    return {
      act: () => desk.ada.call(vmApi.fork, { params: { ...desk.params, vmId }, body }),
      object: { type: 'vm', name: 'copy' },
      in: 'project',
      message: 'Create VM copy as a fork of web requested',
    }
  },
  'vm.restart': async (desk) => {
    const id = await desk.runningVm('web')
    return {
      act: () => desk.act('restart', id),
      object: { type: 'vm', name: 'web', id },
      in: 'project',
      message: 'Restart VM web requested',
    }
  },
  'vmSnapshot.create': async (desk) => {
    const id = await desk.runningVm('web')
    return {
      act: () => desk.snapshotVm(id, { name: 'nightly' }),
      object: { type: 'vm_snapshot', name: 'nightly' },
      in: 'project',
      message: 'Create snapshot nightly of VM web requested',
    }
  },
  'vmSnapshot.restore': async (desk) => {
    const vmId = await desk.runningVm('web')
    const id = await desk.readyVmSnapshot(vmId, { name: 'nightly' })
    return {
      act: () => desk.restore(id, vmId),
      object: { type: 'vm', name: 'web', id: vmId },
      in: 'project',
      message: 'Restore VM web from snapshot nightly requested',
    }
  },
  'vmSnapshot.createVms': async (desk) => {
    const snapshotId = await desk.readyVmSnapshot(await desk.runningVm('web'), { name: 'nightly' })
    const body = { name: 'copy' }
    return {
      act: () => desk.ada.call(vmSnapshotApi.createVms, { params: { ...desk.params, snapshotId }, body }),
      object: { type: 'vm', name: 'copy' },
      in: 'project',
      message: 'Create VM copy from snapshot nightly requested',
    }
  },
  'vmSnapshot.delete': async (desk) => {
    const id = await desk.readyVmSnapshot(await desk.runningVm('web'), { name: 'nightly' })
    return {
      act: () => desk.deleteVmSnapshot(id),
      object: { type: 'vm_snapshot', name: 'nightly', id },
      in: 'project',
      message: 'Delete snapshot nightly of VM web requested',
    }
  },
  'vmSnapshotSchedule.set': async (desk) => {
    const id = await desk.runningVm('web')
    return {
      act: () =>
        desk.ada.call(vmSnapshotScheduleApi.set, { params: { ...desk.params, vmId: id }, body: nightly }),
      object: { type: 'vm', name: 'web', id },
      in: 'project',
      message: 'Set the snapshot schedule of VM web: daily at 03:00, keeps 7 (UTC)',
    }
  },
  'vmSnapshotSchedule.delete': async (desk) => {
    const id = await desk.runningVm('web')
    const params = { ...desk.params, vmId: id }
    await desk.ada.call(vmSnapshotScheduleApi.set, { params, body: nightly })
    return {
      act: () => desk.ada.call(vmSnapshotScheduleApi.delete, { params }),
      object: { type: 'vm', name: 'web', id },
      in: 'project',
      message: 'Deleted the snapshot schedule of VM web',
    }
  },
  'diskSnapshotSchedule.set': async (desk) => {
    const id = await desk.readyDisk()
    const body = { ...nightly, paused: true }
    return {
      act: () => desk.ada.call(diskSnapshotScheduleApi.set, { params: { ...desk.params, diskId: id }, body }),
      object: { type: 'disk', name: 'data', id },
      in: 'project',
      message: 'Set the snapshot schedule of disk data, paused: daily at 03:00, keeps 7 (UTC)',
    }
  },
  'diskSnapshotSchedule.delete': async (desk) => {
    const id = await desk.readyDisk()
    const params = { ...desk.params, diskId: id }
    await desk.ada.call(diskSnapshotScheduleApi.set, { params, body: nightly })
    return {
      act: () => desk.ada.call(diskSnapshotScheduleApi.delete, { params }),
      object: { type: 'disk', name: 'data', id },
      in: 'project',
      message: 'Deleted the snapshot schedule of disk data',
    }
  },
  'disk.create': async (desk) => ({
    act: () => desk.createDisk({}),
    object: { type: 'disk', name: 'data' },
    in: 'project',
    message: 'Create disk data requested',
  }),
  'upload.create': async (desk) => ({
    act: () => desk.createUpload({}),
    object: { type: 'disk', name: 'data' },
    in: 'project',
    message: 'Create disk data from file data.img requested',
  }),
  'upload.send': async (desk) => {
    const { id } = (await desk.createUpload({})).body
    return {
      act: () => desk.sendPiece(id, 0, Buffer.alloc(512)),
      object: null,
      in: 'project',
      message: '',
    }
  },
  'upload.cancel': async (desk) => {
    const { id } = (await desk.createUpload({})).body
    return {
      act: () => desk.ada.call(uploadApi.cancel, { params: { ...desk.params, uploadId: id } }),
      object: { type: 'disk', name: 'data', id },
      in: 'project',
      message: 'Cancelled the upload for disk data',
    }
  },
  'disk.delete': async (desk) => {
    const id = await desk.readyDisk()
    return {
      act: () => desk.deleteDisk(id),
      object: { type: 'disk', name: 'data', id },
      in: 'project',
      message: 'Delete disk data requested',
    }
  },
  'disk.update': async (desk) => {
    const id = await desk.readyDisk({ size: '1Gi' })
    return {
      act: () => desk.changeDisk(id, { size: '2Gi' }),
      object: { type: 'disk', name: 'data', id },
      in: 'project',
      message: 'Enlarge disk data to 2Gi requested',
    }
  },
  'disk.attach': async (desk) => {
    const [id, vmId] = [await desk.readyDisk(), await desk.runningVm('web')]
    return {
      act: () => desk.attach(id, vmId),
      object: { type: 'disk', name: 'data', id },
      in: 'project',
      message: 'Attached disk data to VM web',
    }
  },
  'disk.detach': async (desk) => {
    const id = await desk.readyDisk()
    await desk.runningVm('web', { disks: [{ disk_id: id }] })
    return {
      act: () => desk.detach(id),
      object: { type: 'disk', name: 'data', id },
      in: 'project',
      message: 'Detach disk data from VM web requested',
    }
  },
  'diskSnapshot.create': async (desk) => {
    const id = await desk.readyDisk()
    return {
      act: () => desk.snapshotDisk(id, { name: 'nightly' }),
      object: { type: 'disk_snapshot', name: 'nightly' },
      in: 'project',
      message: 'Create snapshot nightly of disk data requested',
    }
  },
  'diskSnapshot.delete': async (desk) => {
    const id = await desk.readyDiskSnapshot(await desk.readyDisk(), { name: 'nightly' })
    return {
      act: () => desk.deleteDiskSnapshot(id),
      object: { type: 'disk_snapshot', name: 'nightly', id },
      in: 'project',
      message: 'Delete snapshot nightly of disk data requested',
    }
  },
  'diskSnapshot.createDisk': async (desk) => {
    const id = await desk.readyDiskSnapshot(await desk.readyDisk(), { name: 'nightly' })
    return {
      act: () => desk.diskFrom(id, { name: 'copy', size_gb: 1 }),
      object: { type: 'disk', name: 'copy' },
      in: 'project',
      message: 'Create disk copy from snapshot nightly requested',
    }
  },
  'share.create': async (desk) => {
    const vmId = await desk.runningVm('web')
    return {
      act: () => share(desk, vmId),
      object: { type: 'share', name: 'web:3000' },
      in: 'project',
      message: 'Shared port 3000 of VM web',
    }
  },
  'share.update': async (desk) => {
    const { body } = await share(desk, await desk.runningVm('web'))
    const params = { ...desk.params, shareId: body.id }
    return {
      act: () => desk.ada.call(shareApi.update, { params, body: { audience: 'everybody' } }),
      object: { type: 'share', name: 'web:3000', id: body.id },
      in: 'project',
      message: 'Changed sharing of port 3000 of VM web',
    }
  },
  'share.delete': async (desk) => {
    const { body } = await share(desk, await desk.runningVm('web'))
    return {
      act: () => desk.ada.call(shareApi.delete, { params: { ...desk.params, shareId: body.id } }),
      object: { type: 'share', name: 'web:3000', id: body.id },
      in: 'project',
      message: 'Stopped sharing port 3000 of VM web',
    }
  },
  'bin.restore': async (desk) => {
    const id = await desk.stoppedVm('web')
    await desk.deleteVm(id)
    return {
      act: () => desk.ada.call(binApi.restore, { params: { ...desk.params, itemId: id } }),
      object: { type: 'vm', name: 'web', id },
      in: 'project',
      message: 'Restored VM web from the bin',
    }
  },
  'bin.delete': async (desk) => {
    const id = await desk.readyDisk()
    await desk.deleteDisk(id)
    return {
      act: () => desk.ada.call(binApi.delete, { params: { ...desk.params, itemId: id } }),
      object: { type: 'disk', name: 'data', id },
      in: 'project',
      message: 'Delete disk data in the bin for good requested',
    }
  },
  'bin.preview': async (desk) => {
    const id = await desk.readyDisk()
    return {
      act: () => desk.ada.call(binApi.preview, { params: desk.params, body: { ids: [id] } }),
      // It only looks.
      object: null,
      in: 'project',
      message: '',
    }
  },
  'bin.empty': async (desk) => {
    const id = await desk.readyDisk()
    await desk.deleteDisk(id)
    return {
      act: () => desk.ada.call(binApi.empty, { params: desk.params, body: { ids: [id] } }),
      object: { type: 'disk', name: 'data', id },
      in: 'project',
      message: 'Delete disk data in the bin for good requested',
    }
  },
  'projectBin.restore': async ({ ada, params }) => {
    await ada.call(projectApi.delete, { params })
    return {
      act: () => ada.call(projectBinApi.restore, { params: { itemId: params.projectId } }),
      object: { type: 'project', name: 'p', id: params.projectId },
      in: 'both',
      message: 'Restored project p from the bin',
    }
  },
  'projectBin.delete': async ({ ada, params }) => {
    await ada.call(projectApi.delete, { params })
    return {
      act: () => ada.call(projectBinApi.delete, { params: { itemId: params.projectId } }),
      object: { type: 'project', name: 'p', id: params.projectId },
      in: 'both',
      message: 'Delete project p in the bin for good requested',
    }
  },
  'projectBin.empty': async ({ ada, params }) => {
    await ada.call(projectApi.delete, { params })
    return {
      act: () => ada.call(projectBinApi.empty, { body: { ids: [params.projectId] } }),
      object: { type: 'project', name: 'p', id: params.projectId },
      in: 'both',
      message: 'Delete project p in the bin for good requested',
    }
  },
  'operation.cancel': async (desk) => {
    const id = await beginDownload(desk)
    return {
      act: () => desk.ada.call(operationApi.cancel, { params: { ...desk.params, operationId: id } }),
      object: { type: 'disk', name: 'data', id },
      in: 'project',
      message: 'Cancelled the creation of disk data',
    }
  },
  'operation.cancelAny': async (desk) => {
    const id = await beginDownload(desk)
    return {
      act: () => desk.ada.call(operationApi.cancelAny, { params: { operationId: id } }),
      object: { type: 'disk', name: 'data', id },
      in: 'project',
      message: 'Cancelled the creation of disk data',
    }
  },
  'vmPool.create': async (desk) => ({
    act: () => createPool(desk),
    object: { type: 'vm_pool', name: 'web' },
    in: 'project',
    message: 'Create pool web with 1 VM requested',
  }),
  'vmPool.update': async (desk) => {
    const poolId = (await createPool(desk)).body.id
    await desk.pass()
    const params = { ...desk.params, poolId }
    return {
      act: () => desk.ada.call(vmPoolApi.update, { params, body: { desired_size: 2, auto_scaling: false } }),
      object: { type: 'vm_pool', name: 'web', id: poolId },
      in: 'project',
      message: 'Update pool web requested: size 1 to 2, auto scaling turned off',
    }
  },
  'vmPool.rollOut': async (desk) => {
    const poolId = (await createPool(desk)).body.id
    await desk.pass()
    const params = { ...desk.params, poolId }
    return {
      act: () => desk.ada.call(vmPoolApi.rollOut, { params, body: { cpu: 2, delete_disks: true } }),
      object: { type: 'vm_pool', name: 'web', id: poolId },
      in: 'project',
      message: 'Roll out to pool web requested: 1 core to 2 cores',
    }
  },
  'vmPool.continueRollOut': async (desk) => {
    const poolId = (await createPool(desk)).body.id
    await desk.pass()
    const params = { ...desk.params, poolId }
    await desk.app.db.updateTable('vm_group').set({ roll_out: 'paused' }).execute()
    return {
      act: () => desk.ada.call(vmPoolApi.continueRollOut, { params }),
      object: { type: 'vm_pool', name: 'web', id: poolId },
      in: 'project',
      message: 'Continue the roll-out to pool web requested',
    }
  },
  'vmPool.stopRollOut': async (desk) => {
    const poolId = (await createPool(desk)).body.id
    await desk.pass()
    const params = { ...desk.params, poolId }
    await desk.app.db.updateTable('vm_group').set({ roll_out: 'paused' }).execute()
    return {
      act: () => desk.ada.call(vmPoolApi.stopRollOut, { params }),
      object: { type: 'vm_pool', name: 'web', id: poolId },
      in: 'project',
      message: 'Stop the roll-out to pool web requested',
    }
  },
  'vmPool.delete': async (desk) => {
    const poolId = (await createPool(desk)).body.id
    await desk.pass()
    return {
      act: () => desk.ada.call(vmPoolApi.delete, { params: { ...desk.params, poolId } }),
      object: { type: 'vm_pool', name: 'web', id: poolId },
      in: 'project',
      message: 'Delete pool web and its VMs requested',
    }
  },
  'vmSet.create': async (desk) => ({
    act: () => createSet(desk),
    object: { type: 'vm_set', name: 'web' },
    in: 'project',
    message: 'Create set web with 1 VM requested',
  }),
  'vmSet.update': async (desk) => {
    const setId = (await createSet(desk)).body.id
    await desk.pass()
    return {
      act: () => desk.ada.call(vmSetApi.update, { params: { ...desk.params, setId }, body: { replicas: 1 } }),
      object: { type: 'vm_set', name: 'web', id: setId },
      in: 'project',
      message: 'Retry set web requested',
    }
  },
  'vmSet.rollOut': async (desk) => {
    const setId = (await createSet(desk)).body.id
    await desk.pass()
    const params = { ...desk.params, setId }
    return {
      act: () => desk.ada.call(vmSetApi.rollOut, { params, body: { cpu: 2, delete_disks: true } }),
      object: { type: 'vm_set', name: 'web', id: setId },
      in: 'project',
      message: 'Roll out to set web requested: 1 core to 2 cores',
    }
  },
  'vmSet.continueRollOut': async (desk) => {
    const setId = (await createSet(desk)).body.id
    await desk.pass()
    const params = { ...desk.params, setId }
    await desk.app.db.updateTable('vm_group').set({ roll_out: 'paused' }).execute()
    return {
      act: () => desk.ada.call(vmSetApi.continueRollOut, { params }),
      object: { type: 'vm_set', name: 'web', id: setId },
      in: 'project',
      message: 'Continue the roll-out to set web requested',
    }
  },
  'vmSet.stopRollOut': async (desk) => {
    const setId = (await createSet(desk)).body.id
    await desk.pass()
    const params = { ...desk.params, setId }
    await desk.app.db.updateTable('vm_group').set({ roll_out: 'paused' }).execute()
    return {
      act: () => desk.ada.call(vmSetApi.stopRollOut, { params }),
      object: { type: 'vm_set', name: 'web', id: setId },
      in: 'project',
      message: 'Stop the roll-out to set web requested',
    }
  },
  'webhook.create': async ({ ada, params }) => ({
    act: () => ada.call(webhookApi.create, { params, body: hook }),
    object: { type: 'webhook', name: 'chat' },
    in: 'project',
    message: 'Created webhook chat',
  }),
  'webhook.update': async (desk) => {
    const deed = await ofWebhook(desk, 'Changed webhook chat')
    const body = { kinds: ['failure' as const] }
    return { ...deed, act: () => desk.ada.call(webhookApi.update, { ...deed.at, body }) }
  },
  'webhook.renewSecret': async (desk) => {
    const deed = await ofWebhook(desk, 'Created a new secret for webhook chat')
    return { ...deed, act: () => desk.ada.call(webhookApi.renewSecret, deed.at) }
  },
  'webhook.delete': async (desk) => {
    const deed = await ofWebhook(desk, 'Deleted webhook chat')
    return { ...deed, act: () => desk.ada.call(webhookApi.delete, deed.at) }
  },
  'webhook.test': async (desk) => {
    const deed = await ofWebhook(desk, 'Send a test to webhook chat requested')
    return { ...deed, act: () => desk.ada.call(webhookApi.test, deed.at) }
  },
  'webhook.retry': async (desk) => {
    const deed = await ofWebhook(desk, 'Send a delivery of webhook chat again requested')
    const { params } = deed.at
    const { body } = await desk.ada.call(webhookApi.test, deed.at)
    await desk.app.idle()
    const retried = { params: { ...params, deliveryId: body.id } }
    return { ...deed, act: () => desk.ada.call(webhookApi.retry, retried) }
  },
  'vmSet.delete': async (desk) => {
    const setId = (await createSet(desk)).body.id
    await desk.pass()
    return {
      act: () => desk.ada.call(vmSetApi.delete, { params: { ...desk.params, setId } }),
      object: { type: 'vm_set', name: 'web', id: setId },
      in: 'project',
      message: 'Delete set web and its VMs requested',
    }
  },
}

/** A disk that is being created for as long as the clock stands still. */
async function beginDownload(desk: Desk): Promise<string> {
  const { body } = await desk.createDisk({ source: 'HTTP', image_url: 'https://images.test/disk.img' })
  await desk.pass(300)
  return body.id
}

const createPool = ({ ada, params, keyId }: Desk, more: object = {}) =>
  ada.call(vmPoolApi.create, {
    params,
    body: { name: 'web', template_id: 'starter', ssh_key_id: keyId, max_size: 3, ...more },
  })

/** Nothing is sent to it by itself, and what is asked for ends at once: no such host is looked up. */
const hook = { url: 'https://hooks.invalid/', description: 'chat', paused: true }

/** A webhook, and the entry that something done to it leaves. */
async function ofWebhook({ ada, params }: Desk, message: string) {
  const { id: webhookId } = (await ada.call(webhookApi.create, { params, body: hook })).body
  const object = { type: 'webhook', name: 'chat', id: webhookId }
  return { at: { params: { ...params, webhookId } }, object, in: 'project' as const, message }
}

const createSet = ({ ada, params, keyId }: Desk) =>
  ada.call(vmSetApi.create, {
    params,
    body: { name: 'web', template_id: 'starter', ssh_key_id: keyId, replicas: 1 },
  })

/** Whoever signs up first. */
const operator = {
  admins: ['person-1@slipway.test'],
  publicUrl: testOrigin,
  oidc: [provider.settings],
  gateway: quietGateway,
}

describe('whoever asks for something', () => {
  for (const endpoint of endpoints.filter(({ method }) => method !== 'GET')) {
    it(
      `leaves one entry by ${endpoint.id}`,
      atDesk(async (desk) => {
        const prepare = deeds[endpoint.id]
        if (!prepare) expect.fail(`say in the table of this test how ${endpoint.id} is called`)
        const deed = await prepare(desk)
        const before = await stored(desk)
        const answer = await deed.act()
        expect(answer.status).toBe(endpoint.status)
        // What Slipway does by itself meanwhile is told as well, of nobody.
        const asked = (await stored(desk))
          .slice(before.length)
          .filter(({ kind }) => kind === 'wish' || kind === 'access')
        if (!deed.object) return expect(asked).toEqual([])
        const { type, name, id = firstOf(answer.body as { id: string } | { id: string }[]).id } = deed.object
        const isOwn = deed.in !== 'project'
        const actor = deed.byNobody
          ? null
          : type === 'account' && !endpoint.id.startsWith('adminAccount.')
            ? { id, name }
            : await desk.app.db
                .selectFrom('account')
                .select(['id', 'name'])
                .$if(deed.by !== undefined, (query) => query.where('name', '=', deed.by ?? ''))
                .orderBy('id')
                .executeTakeFirstOrThrow()
        expect(asked).toMatchObject([
          {
            kind: /\.sign(In|Out)/.test(endpoint.id) ? 'access' : 'wish',
            action: endpoint.id,
            message: deed.message,
            actor_id: actor?.id ?? null,
            actor_name: actor?.name ?? null,
            object_type: type,
            object_id: id,
            object_name: name,
            project_id: deed.in === 'account' ? null : type === 'project' ? id : desk.params.projectId,
            account_id: isOwn ? (type === 'account' ? id : actor?.id) : null,
          },
        ])
      }, operator),
    )
  }

  // Those change nothing anyway, or have no entry.
  const looking = new Set([
    'template.checkImage',
    'upload.send',
    'projectMember.offer',
    'bin.preview',
    'oidc.begin',
    'oidc.link',
    'account.beginPasskey',
    'proof.beginPasskey',
    'passkey.begin',
  ])
  for (const endpoint of endpoints.filter(({ id }) => deeds[id] && !looking.has(id))) {
    it(
      `changes nothing by ${endpoint.id} when its entry cannot be written`,
      atDesk(async (desk) => {
        const deed = await deeds[endpoint.id]?.(desk)
        const before = await everything(desk)
        await refuse(desk.app.db, 'insert', 'activity')
        expect((await deed?.act())?.status).toBe(deed?.afterAnswer ? endpoint.status : 500)
        expect(await everything(desk)).toEqual(before)
      }, operator),
    )
  }

  it(
    'leaves one for the request that came first to a disk, and none for the other',
    atDesk(async (desk) => {
      const disks = [{ disk_id: await desk.readyDisk() }]
      const before = await stored(desk)
      const answers = await Promise.all([desk.createVm('a', { disks }), desk.createVm('b', { disks })])
      const winner = answers.find(({ status }) => status === 201)?.body.name
      expect(toldSince(await stored(desk), before)).toEqual([
        `wish vm.create ${winner}`,
        'wish disk.attach data',
      ])
    }),
  )

  it(
    'leaves one for each disk that a new VM takes',
    atDesk(async (desk) => {
      const diskId = await desk.readyDisk()
      const before = await stored(desk)
      await desk.createVm('web', { disks: [{ disk_id: diskId }] })
      expect(toldSince(await stored(desk), before)).toEqual(['wish vm.create web', 'wish disk.attach data'])
    }),
  )

  it(
    'leaves none when it is refused, nor by only looking',
    atDesk(async (desk) => {
      const id = await desk.runningVm('web')
      const before = await stored(desk)
      expect((await desk.act('start', id)).status).toBe(409)
      expect((await desk.createVm('')).status).toBe(400)
      expect((await desk.deleteDisk('nobody-has-this')).status).toBe(404)
      await desk.vm(id)
      await desk.disks()
      expect(await stored(desk)).toEqual(before)
    }),
  )

  it(
    'a sign-in that fails is told to the account, and tells no secret',
    atDesk(async (desk) => {
      const { email } = desk.ada
      const before = await stored(desk)
      const guess = 'Hunter2-hunter2'
      for (const address of [email, 'nobody@slipway.test']) {
        const body = { email: address, password: guess }
        expect((await desk.app.client().call(accountApi.signIn, { body })).status).toBe(401)
      }
      const failed = (await stored(desk)).slice(before.length)
      expect(failed).toMatchObject([
        {
          kind: 'access',
          action: 'account.signInFailed',
          actor_id: null,
          object_type: 'account',
          message: 'A sign-in failed',
          reason: 'The password was wrong. From 127.0.0.1.',
        },
      ])
      expect(JSON.stringify(failed)).not.toContain(guess)
    }),
  )

  it(
    'no secret gets into the log',
    atDesk(async (desk) => {
      await desk.app.client().call(accountApi.forgotPassword, { body: { email: desk.ada.email } })
      await desk.app.idle()
      const key = 'c2lnbmVkLWJ5LWFkYQ'
      await desk.readyDisk({ source: 'HTTP', image_url: `https://a.test/disk.img?signature=${key}` })
      const entries = await stored(desk)
      expect(entries.at(-2)?.message).toBe('Create disk data from an image at a.test requested')
      const text = JSON.stringify(entries)
      for (const secret of [
        key,
        desk.ada.password,
        desk.ada.cookie?.split('=')[1] ?? '',
        ...desk.app.mails.map(tokenOf),
      ]) {
        expect(secret.length).toBeGreaterThan(10)
        expect(text).not.toContain(secret)
      }
    }),
  )
})

const crash = { how: 'crashed', reason: 'The guest stopped unexpectedly.' } as const

describe('what Slipway does by itself', () => {
  it(
    'tells of a VM when it runs, is stopped and is gone, and of nothing in between',
    atDesk(async (desk) => {
      const before = await stored(desk)
      const id = await desk.stoppedVm('web')
      await desk.act('start', id)
      await desk.pass()
      await desk.act('restart', id)
      await desk.pass()
      desk.app.engine.endRun(id, { how: 'clean' })
      await desk.pass()
      await desk.deleteVm(id)
      await desk.pass()
      const entries = await stored(desk)
      expect(toldSince(entries, before)).toEqual([
        ...['wish vm.create web', 'change vm.running web'],
        ...['wish vm.stop web', 'change vm.stopped web'],
        ...['wish vm.start web', 'change vm.running web'],
        ...['wish vm.restart web', 'change vm.running web'],
        'change vm.stopped web',
        ...['wish vm.delete web', 'change vm.gone web'],
      ])
      const changes = entries.slice(before.length).filter(({ kind }) => kind === 'change')
      for (const entry of changes) {
        expect(entry).toMatchObject({ actor_id: null, object_id: id, project_id: desk.params.projectId })
        expect(entry.message).toMatch(/^VM web (started|stopped|was deleted)$/)
      }
      expect(changes.map(({ reason }) => reason)).toEqual([
        ...[null, null, null, null],
        'The guest shut itself down.',
        null,
      ])
    }, withoutBin),
  )

  it(
    'tells of disks and snapshots when they are there and when they are gone',
    atDesk(async (desk) => {
      const before = await stored(desk)
      const diskId = await desk.readyDisk()
      const vmId = await desk.runningVm('web', { disks: [{ disk_id: diskId }] })
      const ofVm = await desk.readyVmSnapshot(vmId, { name: 'a' })
      const ofDisk = await desk.readyDiskSnapshot(diskId, { name: 'b' })
      await desk.deleteVm(vmId)
      await desk.pass()
      await desk.deleteVmSnapshot(ofVm)
      await desk.deleteDiskSnapshot(ofDisk)
      await desk.pass()
      await desk.deleteDisk(diskId)
      await desk.pass()
      const entries = await stored(desk)
      expect(
        toldSince(entries, before).filter((line) => line.startsWith('change') && !line.includes(' vm.')),
      ).toEqual([
        'change disk.available data',
        ...['change vmSnapshot.ready a', 'change diskSnapshot.ready b'],
        'change disk.available data',
        ...['change vmSnapshot.deleted a', 'change diskSnapshot.deleted b'],
        'change disk.deleted data',
      ])
      expect(entries.filter(({ action }) => action === 'disk.available').map(({ reason }) => reason)).toEqual(
        [null, 'VM web was deleted.'],
      )
    }, withoutBin),
  )

  it(
    'tells when a snapshot has expired',
    atDesk(async (desk) => {
      const id = await desk.readyDiskSnapshot(await desk.readyDisk(), { name: 'a', retention_days: 1 })
      const before = await stored(desk)
      await desk.pass(25 * 60 * 60_000)
      const entries = await stored(desk)
      expect(toldSince(entries, before)).toEqual([
        'change diskSnapshot.expired a',
        'change diskSnapshot.deleted a',
      ])
      expect(entries.at(-1)).toMatchObject({ object_id: id, actor_id: null })
    }),
  )

  it(
    'tells of a restore, and of the snapshot it leaves behind',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('web')
      const id = await desk.readyVmSnapshot(vmId, { name: 'a' })
      const before = await stored(desk)
      await desk.restore(id, vmId)
      await desk.pass()
      expect(toldSince(await stored(desk), before)).toEqual([
        'wish vmSnapshot.restore web',
        'change vm.restored web',
        'change vmSnapshot.ready Before restoring "a"',
        'change vm.running web',
      ])
    }),
  )

  it(
    'tells of every failure with its reason, once',
    atDesk(async (desk) => {
      const before = await stored(desk)
      await desk.runningVm('fault-no-space')
      const vmId = await desk.runningVm('web')
      desk.app.engine.endRun(vmId, crash)
      await desk.pass()
      await desk.readyDisk({ name: 'bad', source: 'HTTP', image_url: 'https://a.test/fault-refused.img' })
      const diskId = await desk.readyDisk()
      const ofDisk = await desk.readyDiskSnapshot(diskId, { name: 'b' })
      const full = await desk.runningVm('fault-no-copies')
      await desk.readyVmSnapshot(full, { name: 'a' })
      desk.app.engine.dropVolume(diskId)
      desk.app.engine.loseSnapshot('volume', ofDisk)
      await desk.pass(60_000)
      await desk.diskFrom(ofDisk, { name: 'copy', size_gb: 1 })
      await desk.pass(60_000)
      const failures = (await stored(desk)).slice(before.length).filter(({ kind }) => kind === 'failure')
      expect(failures.map(({ action, object_name }) => `${action} ${object_name}`)).toEqual([
        ...['vm.failed fault-no-space', 'vm.error web', 'disk.failed bad', 'vmSnapshot.failed a'],
        ...['disk.error data', 'disk.failed copy', 'diskSnapshot.error b'],
      ])
      for (const { actor_id, reason, message } of failures) {
        expect(actor_id).toBeNull()
        expect(reason).toMatch(/^[A-Z].*\.$/)
        expect(message).toMatch(/ /)
      }
    }),
  )

  it(
    'a guest that does not let go of a disk is a failure beside the wish',
    atDesk(async (desk) => {
      const diskId = await desk.readyDisk()
      await desk.runningVm('fault-clings', { disks: [{ disk_id: diskId }] })
      const before = await stored(desk)
      expect((await desk.detach(diskId)).status).toBe(409)
      expect(toldSince(await stored(desk), before)).toEqual([
        'wish disk.detach data',
        'failure disk.notDetached data',
      ])
    }),
  )

  it(
    'a restore that comes to nothing is a failure',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('web')
      const id = await desk.readyVmSnapshot(vmId, { name: 'a' })
      desk.app.engine.loseSnapshot('machine', id)
      const before = await stored(desk)
      await desk.restore(id, vmId)
      await desk.pass()
      const entries = await stored(desk)
      expect(toldSince(entries, before)).toContain('failure vm.notRestored web')
      expect(entries.find(({ action }) => action === 'vm.notRestored')?.reason).toMatch(/\.$/)
    }),
  )

  it(
    'a VM that is started again after its host was is a repair, and one that rebooted is not',
    atDesk(async (desk) => {
      const id = await desk.runningVm('web')
      const before = await stored(desk)
      desk.app.engine.endRun(id, { how: 'host-restart' })
      await desk.pass()
      desk.app.engine.endRun(id, { how: 'reboot' })
      await desk.pass()
      expect(toldSince(await stored(desk), before)).toEqual([
        ...['repair vm.startedAgain web', 'change vm.running web'],
        ...['change vm.rebooted web', 'change vm.running web'],
      ])
    }),
  )

  it(
    'tells of the members of a pool what happens to them, and of the pool when it has its size',
    atDesk(async (desk) => {
      const before = await stored(desk)
      const { body: pool } = await createPool(desk, { desired_size: 2 })
      await desk.pass()
      const entries = await stored(desk)
      expect(toldSince(entries, before)).toEqual([
        'wish vmPool.create web',
        ...['change vm.added web-1', 'change vm.added web-2'],
        ...['change vm.running web-1', 'change vm.running web-2'],
        'change vmPool.active web',
      ])
      await desk.ada.call(vmPoolApi.update, {
        params: { ...desk.params, poolId: pool.id },
        body: { min_size: 1, desired_size: 1 },
      })
      await desk.pass()
      expect(toldSince(await stored(desk), entries)).toEqual([
        'wish vmPool.update web',
        ...['change vm.retired web-2', 'change vm.stopped web-2', 'change vm.gone web-2'],
        'change vmPool.active web',
      ])
    }),
  )

  for (const [persistent, action] of [
    [true, 'vm.healed'],
    [false, 'vm.replaced'],
  ] as const) {
    it(
      `a member that broke is a failure, and ${action} is a repair with the same reason`,
      atDesk(async (desk) => {
        await createPool(desk, { persistent })
        await desk.pass()
        const before = await stored(desk)
        const broken = await desk.app.db.selectFrom('vm').select('id').executeTakeFirstOrThrow()
        desk.app.engine.endRun(broken.id, crash)
        await desk.pass()
        const news = (await stored(desk)).slice(before.length)
        const [failed, repaired] = news
        expect(failed).toMatchObject({ kind: 'failure', action: 'vm.error', object_id: broken.id })
        expect(repaired).toMatchObject({
          kind: 'repair',
          action,
          actor_id: null,
          object_id: broken.id,
          reason: failed?.reason,
        })
        expect(news.at(-1)).toMatchObject({ kind: 'change', action: 'vmPool.active' })
      }),
    )
  }

  it(
    'a pool whose VMs cannot be created has one entry for a failure, however often it comes again',
    atDesk(async (desk) => {
      const { engine } = desk.app
      const before = await stored(desk)
      engine.setImage({ state: 'unavailable', reason: 'It is being repaired.' })
      await createPool(desk)
      await desk.pass(60 * 60_000)
      const failed = await stored(desk)
      expect(toldSince(failed, before)).toEqual([
        'wish vmPool.create web',
        'change vm.added web-1',
        'failure vm.failed web-1',
        'failure vmPool.error web',
      ])
      const why = expect.stringContaining('It is being repaired.')
      expect(failed.slice(-2)).toMatchObject([{ reason: why }, { reason: why }])
      engine.setImage({ state: 'unavailable', reason: 'There is no space.' })
      await desk.pass(60 * 60_000)
      const other = await stored(desk)
      expect(toldSince(other, failed)).toEqual(['failure vm.failed web-1'])
      engine.setImage({ state: 'ready' })
      await desk.pass(10 * 60_000)
      expect(toldSince(await stored(desk), other)).toEqual([
        'change vm.running web-1',
        'change vmPool.active web',
        'repair vmPool.recovered web',
      ])
    }),
  )

  it(
    'a pool in error is tried again at once when somebody changes it, and then says again what fails',
    atDesk(async (desk) => {
      desk.app.engine.setImage({ state: 'unavailable', reason: 'It is being repaired.' })
      const { body: pool } = await createPool(desk)
      await desk.pass(30 * 60_000)
      const before = await stored(desk)
      const params = { ...desk.params, poolId: pool.id }
      await desk.ada.call(vmPoolApi.update, { params, body: { desired_size: 1 } })
      await desk.pass(5000)
      expect(toldSince(await stored(desk), before).slice(0, 3)).toEqual([
        'wish vmPool.update web',
        'change vm.added web-1',
        'failure vm.failed web-1',
      ])
    }),
  )

  it(
    'the autoscaler tells its reason',
    atDesk(async (desk) => {
      const { body: pool } = await createPool(desk, { auto_scaling: true })
      await desk.pass()
      for (let i = 0; i < 20; i++) {
        const [vm] = await desk.app.db.selectFrom('vm').select('id').orderBy('id').execute()
        if (vm) desk.app.engine.setLoad(vm.id, 95)
        await desk.pass(10_000)
      }
      const scaled = (await stored(desk)).filter(({ action }) => action === 'vmPool.scaled')
      expect(scaled[0]).toMatchObject({
        kind: 'change',
        actor_id: null,
        object_id: pool.id,
        message: 'Pool web was scaled from 1 to 2',
        reason: expect.stringContaining('CPU'),
      })
    }),
  )

  it(
    'a server that is closed in the middle tells each thing once',
    atDesk(async (desk) => {
      const before = await stored(desk)
      await desk.createVm('web')
      await desk.app.restart()
      await desk.pass()
      await desk.app.restart()
      await desk.pass()
      expect(toldSince(await stored(desk), before)).toEqual(['wish vm.create web', 'change vm.running web'])
    }),
  )

  it(
    'entries outlive what they tell of, with the names of that moment',
    atDesk(async (desk) => {
      const { body } = await desk.ada.call(projectApi.create, { body: { name: 'brief' } })
      await desk.ada.call(projectApi.delete, { params: { projectId: body.id } })
      expect((await stored(desk)).slice(-2)).toMatchObject([
        { action: 'project.create', object_name: 'brief', project_id: body.id },
        { action: 'project.delete', object_name: 'brief', actor_name: 'Ada Lovelace' },
      ])
      expect((await desk.ada.raw('GET', `/api/projects/${body.id}/activity`)).body).toEqual({
        message: messages.projectNotFound,
      })
    }),
  )
})
