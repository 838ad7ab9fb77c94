/** One request that succeeds for each call of the API that changes something, and all that has to be there before. */
import {
  accountApi,
  accountDeletionApi,
  accountSettingsApi,
  type CallInput,
  type CodeNeeded,
  type Endpoint,
  type EndpointId,
  type EndpointOf,
  endpoints,
  fillPath,
  type PasskeyMade,
  type PasskeyUsed,
  passkeyApi,
  projectMemberApi,
  type routes,
  totpApi,
} from '@slipway/contract'
import { type Answer, lastMail, newPublicKey, type TestApp, tokenOf } from './app.test-kit.ts'
import { refuse } from './db/database.test-kit.ts'
import type { Desk } from './desk.test-kit.ts'
import { quietGateway } from './gateway/gateway.test-kit.ts'
import { browserAt, type TestProvider } from './oidc.test-kit.ts'
import { addPasskey, beginSignIn, makeAuthenticator, testOrigin } from './passkey.test-kit.ts'
import { codeAt, turnOnTotp } from './totp.test-kit.ts'

type Changing = {
  [Id in EndpointId]: (typeof routes)[Id] extends `GET ${string}` ? never : Id
}[EndpointId]

type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** What paths call their ids. */
export type IdName = NamesIn<(typeof routes)[EndpointId]>

type Caller = Pick<ReturnType<TestApp['client']>, 'raw' | 'call'>

/** What there may be at a desk for a request: the ids of its path, and what its body is made of. */
export interface Made extends Record<IdName, string> {
  email: string
  password: string
  token: string
  code: string
  passkeyMade: PasskeyMade
  passkeyUsed: PasskeyUsed
  /** Somebody else, or somebody at another browser. */
  bob: Caller
}

type BodyOf<Id extends EndpointId> =
  CallInput<EndpointOf<Id>> extends { body: infer Body }
    ? Body
    : EndpointOf<Id> extends { takes: 'file' }
      ? Buffer
      : never

interface Example<Body> {
  prepare?: (desk: Desk, provider?: TestProvider) => Promise<Partial<Made>>
  body?: (made: Made) => Body
  /** Who makes it, if it is not Ada; nobody has no session. */
  by?: 'bob' | 'nobody'
  /** It is not answered while the clock stands still. */
  takesTime?: true
}

/** Such desks have a provider of sign-ins, and Ada is an administrator. */
export const exampleOptions = (provider: TestProvider) => ({
  admins: ['person-1@slipway.test'],
  publicUrl: testOrigin,
  oidc: [provider.settings],
  gateway: quietGateway,
})

const everybodys = { templateId: 'starter', provider: 'office' }
const sshKey = { key_name: 'laptop', ssh_public_key: newPublicKey() }
const rust = { name: 'Rust', description: 'Compiler', default_cpu: 2, default_memory_mb: 1024 } as const
const nightly = { daily: { time: '03:00', keep: 7 } }
const newPassword = 'Correct-horse-2'
const newEmail = 'countess@slipway.test'
const ofGroup = ({ sshKeyId }: Made) => ({ name: 'web', template_id: 'starter', ssh_key_id: sshKeyId })
const twoCores = () => ({ cpu: 2, delete_disks: true })

/** Makes another request before; the id of what that creates gets a name. */
const after =
  (id: Changing, created?: IdName) =>
  async (desk: Desk): Promise<Made> => {
    const { made, send } = await prepareExample(desk, id)
    const { body } = await send()
    return created ? Object.assign(made, { [created]: (body as { id: string }).id }) : made
  }

async function signedUp({ app }: Desk) {
  const body = { name: 'Grace', email: 'grace@slipway.test', password: newPassword }
  const { user } = (await app.client().call(accountApi.signUp, { body })).body
  return { email: user.email, token: tokenOf(lastMail(app.mails, user.email)) }
}

async function passwordGiven({ app, ada }: Desk) {
  const totp = await turnOnTotp(ada, app.clock)
  const { email, password } = ada
  const { body } = await app.client().call(accountApi.signIn, { body: { email, password } })
  // That is what a password is answered with once there are codes.
  return { token: (body as CodeNeeded).code_needed.token, code: totp.next() }
}

async function withTotp({ app, ada }: Desk) {
  await turnOnTotp(ada, app.clock)
  return {}
}

async function resetAsked(desk: Desk) {
  const { email } = await after('account.forgotPassword')(desk)
  await desk.app.idle()
  return { token: tokenOf(lastMail(desk.app.mails, email)) }
}

async function otherSession({ app, ada }: Desk) {
  const { email, password } = ada
  await app.client().call(accountApi.signIn, { body: { email, password } })
  const sessions = (await ada.call(accountSettingsApi.sessions)).body
  return { sessionId: sessions.find(({ current }) => !current)?.id ?? '' }
}

/** The only administrator may not go. */
const bobHere = async ({ app }: Desk) => ({ bob: await app.signedIn('Bob') })

async function leaving({ app }: Desk) {
  const bob = await app.signedIn('Bob')
  await bob.call(accountDeletionApi.request)
  const { email, password } = bob
  const { cookie } = await app.client().call(accountApi.signIn, { body: { email, password } })
  return { bob: app.client(cookie) }
}

async function identity({ app, ada }: Desk, provider?: TestProvider) {
  const { id: account_id, email } = (await ada.call(accountApi.me)).body
  const issuer = provider?.issuer ?? 'https://id.slipway.test'
  const times = { linked_at: '', last_used_at: '' }
  const row = { id: `identity of ${account_id}`, account_id, issuer, subject: email, email: null, ...times }
  await app.db.insertInto('identity').values(row).execute()
  return { identityId: row.id }
}

async function signedInAtProvider({ app }: Desk, provider?: TestProvider) {
  if (!provider) throw new Error('Give a provider to the desk, with `exampleOptions`')
  provider.people.set('grace', { email: 'grace@slipway.test', email_verified: true, name: 'Grace' })
  await browserAt(app, provider).signIn('grace')
  return { token: await provider.logoutToken({ jti: 'one', sub: 'grace' }) }
}

async function invited({ app, ada, params }: Desk) {
  const bob = await app.signedIn('Bob')
  const body = { email: bob.email, role: 'viewer' as const }
  const { body: invitation } = await ada.call(projectMemberApi.invite, { params, body })
  return { bob, invitationId: invitation.id, token: tokenOf(lastMail(app.mails, bob.email)) }
}

async function member(desk: Desk) {
  const { bob, token } = await invited(desk)
  await bob.call(projectMemberApi.accept, { body: { token } })
  return { bob, memberId: (await bob.call(accountApi.me)).body.id }
}

async function account({ app }: Desk) {
  const bob = await app.signedIn('Bob')
  return { bob, accountId: (await bob.call(accountApi.me)).body.id }
}

async function accountWithTotp(desk: Desk) {
  const { bob, accountId } = await account(desk)
  await turnOnTotp(bob, desk.app.clock)
  return { accountId }
}

async function failedMail({ app: { db } }: Desk) {
  const { id } = await db.selectFrom('mail_queue').select('id').executeTakeFirstOrThrow()
  await db.updateTable('mail_queue').set({ state: 'failed', content: 'sealed', expires_at: null }).execute()
  return { mailId: id }
}

async function binnedTemplate(desk: Desk) {
  const made = await after('template.delete')(desk)
  return { ...made, itemId: made.templateId }
}

async function binnedProject(desk: Desk) {
  const made = await after('project.delete')(desk)
  return { ...made, itemId: made.projectId }
}

const runningVm = async (desk: Desk) => ({ vmId: await desk.runningVm('web') })
const stoppedVm = async (desk: Desk) => ({ vmId: await desk.stoppedVm('web') })
const disk = async (desk: Desk) => ({ diskId: await desk.readyDisk() })
const diskAndVm = async (desk: Desk) => ({ ...(await disk(desk)), ...(await runningVm(desk)) })

async function attachedDisk(desk: Desk) {
  const diskId = await desk.readyDisk()
  await desk.runningVm('web', { disks: [{ disk_id: diskId }] })
  return { diskId }
}

async function vmSnapshot(desk: Desk) {
  const vmId = await desk.runningVm('web')
  return { vmId, snapshotId: await desk.readyVmSnapshot(vmId, { name: 'nightly' }) }
}

async function diskSnapshot(desk: Desk) {
  const diskId = await desk.readyDisk()
  return { diskId, diskSnapshotId: await desk.readyDiskSnapshot(diskId, { name: 'nightly' }) }
}

async function binnedVm(desk: Desk) {
  const { vmId } = await stoppedVm(desk)
  await desk.deleteVm(vmId)
  return { vmId, itemId: vmId }
}

async function binnedDisk(desk: Desk) {
  const diskId = await desk.readyDisk()
  await desk.deleteDisk(diskId)
  return { diskId, itemId: diskId }
}

async function upload(desk: Desk) {
  const made = await after('upload.create', 'uploadId')(desk)
  return { ...made, diskId: made.uploadId }
}

/** It goes on for as long as the clock stands still. */
async function download(desk: Desk) {
  const { body } = await desk.createDisk({ source: 'HTTP', image_url: 'https://images.test/disk.img' })
  await desk.pass(300)
  return { diskId: body.id, operationId: body.id }
}

/** Its calls wait: the server could not make them when it was requested. */
async function waitingBatch(desk: Desk) {
  const allow = await refuse(desk.app.db, 'update', 'batch_item')
  const made = await after('batch.create', 'batchId')(desk)
  await desk.app.idle()
  await allow()
  return made
}

const group = (create: 'vmPool.create' | 'vmSet.create', id: 'poolId' | 'setId') => async (desk: Desk) => {
  const made = await after(create, id)(desk)
  await desk.pass()
  return made
}
const pool = group('vmPool.create', 'poolId')
const set = group('vmSet.create', 'setId')

const inRollOut = (made: typeof pool) => async (desk: Desk) => {
  const ids = await made(desk)
  await desk.app.db.updateTable('vm_group').set({ roll_out: 'paused' }).execute()
  return ids
}

const webhook = after('webhook.create', 'webhookId')

async function delivery(desk: Desk) {
  const made = await after('webhook.test', 'deliveryId')(desk)
  await desk.app.idle()
  return made
}

const examples: { [Id in Changing]: Example<BodyOf<Id>> } = {
  'account.signUp': {
    by: 'nobody',
    body: () => ({ name: 'Grace', email: 'grace@slipway.test', password: newPassword }),
  },
  'account.signIn': { by: 'nobody', body: ({ email, password }) => ({ email, password }) },
  'account.signInWithCode': {
    by: 'nobody',
    prepare: passwordGiven,
    body: ({ token, code }) => ({ token, code }),
  },
  'account.beginPasskey': { by: 'nobody' },
  'account.signInWithPasskey': {
    by: 'nobody',
    prepare: async ({ app, ada }) => ({ passkeyUsed: (await addPasskey(ada)).use(await beginSignIn(app)) }),
    body: ({ passkeyUsed }) => ({ passkey: passkeyUsed }),
  },
  'account.signOut': {},
  'account.resendVerification': { by: 'nobody', prepare: signedUp, body: ({ email }) => ({ email }) },
  'account.verifyEmail': { by: 'nobody', prepare: signedUp, body: ({ token }) => ({ token }) },
  'account.forgotPassword': { by: 'nobody', body: ({ email }) => ({ email }) },
  'account.resetPassword': {
    by: 'nobody',
    prepare: resetAsked,
    body: ({ token }) => ({ token, password: newPassword }),
  },
  'account.update': { body: () => ({ name: 'Countess' }) },
  'account.changePassword': { body: () => ({ password: newPassword }) },
  'account.changeEmail': { body: () => ({ email: newEmail }) },
  'account.confirmEmail': {
    by: 'nobody',
    async prepare(desk) {
      await after('account.changeEmail')(desk)
      return { token: tokenOf(lastMail(desk.app.mails, newEmail)) }
    },
    body: ({ token }) => ({ token }),
  },
  'account.endSession': { prepare: otherSession },
  'account.endOtherSessions': {},
  'accountDeletion.request': { by: 'bob', prepare: bobHere },
  'accountDeletion.cancel': { by: 'bob', prepare: leaving },
  'oidc.begin': { by: 'nobody', body: () => ({}) },
  'oidc.signOut': {
    by: 'nobody',
    prepare: signedInAtProvider,
    body: ({ token }) => ({ logout_token: token }),
  },
  'oidc.link': { body: () => ({ provider: 'office' }) },
  'oidc.unlink': { prepare: identity },
  'proof.give': { body: ({ password }) => ({ password }) },
  'proof.beginPasskey': {},
  'passkey.begin': {},
  'passkey.create': {
    prepare: async ({ ada }) => ({
      passkeyMade: makeAuthenticator().make((await ada.call(passkeyApi.begin)).body),
    }),
    body: ({ passkeyMade }) => ({ name: 'Phone', passkey: passkeyMade }),
  },
  'passkey.rename': {
    prepare: after('passkey.create', 'passkeyId'),
    body: () => ({ name: 'Key ring' }),
  },
  'passkey.delete': { prepare: after('passkey.create', 'passkeyId') },
  'totp.begin': {},
  'totp.confirm': {
    prepare: async ({ app, ada }) => ({
      code: codeAt((await ada.call(totpApi.begin)).body.secret, app.clock.now()),
    }),
    body: ({ code }) => ({ code }),
  },
  'totp.remove': { prepare: withTotp },
  'totp.renewCodes': { prepare: withTotp },
  'project.create': { body: () => ({ name: 'shop' }) },
  'project.delete': {},
  'projectMember.update': { prepare: member, body: () => ({ role: 'operator' }) },
  'projectMember.remove': { prepare: member },
  'projectMember.handOver': { prepare: member },
  'projectMember.leave': { by: 'bob', prepare: member },
  'projectMember.invite': { body: () => ({ email: 'bob@slipway.test', role: 'viewer' }) },
  'projectMember.withdraw': { prepare: invited },
  'projectMember.offer': { by: 'bob', prepare: invited, body: ({ token }) => ({ token }) },
  'projectMember.accept': { by: 'bob', prepare: invited, body: ({ token }) => ({ token }) },
  'handOver.withdraw': { prepare: after('projectMember.handOver') },
  'handOver.accept': { by: 'bob', prepare: after('projectMember.handOver') },
  'handOver.decline': { by: 'bob', prepare: after('projectMember.handOver') },
  'sshKey.create': { body: () => sshKey },
  'sshKey.prove': {},
  'sshKey.delete': {},
  'apiToken.create': {
    body: ({ projectId }) => ({ name: 'ci', access: 'read', project_ids: [projectId] }),
  },
  'apiToken.delete': { prepare: after('apiToken.create', 'apiTokenId') },
  'template.create': { body: () => rust },
  'template.update': { prepare: after('template.create', 'templateId'), body: () => rust },
  'template.retire': { prepare: after('template.create', 'templateId') },
  'template.offer': { prepare: after('template.retire') },
  'template.delete': { prepare: after('template.create', 'templateId') },
  'template.checkImage': { body: () => ({ image_url: null }) },
  'template.prepare': {},
  'templateBin.restore': { prepare: binnedTemplate },
  'templateBin.delete': { prepare: binnedTemplate },
  'vm.create': { body: ofGroup },
  'vm.delete': { prepare: runningVm },
  'vm.start': { prepare: stoppedVm },
  'vm.stop': { prepare: runningVm },
  'vm.update': { prepare: runningVm, body: () => ({ suspend_after_minutes: 30 }) },
  'vm.keepAwake': { prepare: runningVm },
  'vm.suspend': { prepare: runningVm },
  'vm.fork': { prepare: runningVm, body: () => ({ name: 'copy' }) },
  'vm.restart': { prepare: runningVm },
  'vmSnapshot.create': {
    prepare: runningVm,
    body: () => ({ name: 'nightly', snapshot_type: 'disk', retention_days: 30 }),
  },
  'vmSnapshot.restore': { prepare: vmSnapshot, body: ({ vmId }) => ({ vm_id: vmId }) },
  'vmSnapshot.createVms': { prepare: vmSnapshot, body: () => ({ name: 'copy' }) },
  'vmSnapshot.delete': { prepare: vmSnapshot },
  'vmSnapshotSchedule.set': { prepare: runningVm, body: () => nightly },
  'vmSnapshotSchedule.delete': { prepare: after('vmSnapshotSchedule.set') },
  'disk.create': { body: () => ({ name: 'data', size: '1Gi', source: 'EMPTY' }) },
  'disk.update': { prepare: disk, body: () => ({ size: '2Gi' }) },
  'disk.delete': { prepare: disk },
  'disk.attach': { prepare: diskAndVm, body: ({ vmId }) => ({ vm_id: vmId }) },
  'disk.detach': { prepare: attachedDisk, takesTime: true },
  'upload.create': {
    body: () => ({ name: 'data', size: '1Gi', file_name: 'data.img', file_bytes: 1024 }),
  },
  'upload.send': { prepare: upload, body: () => Buffer.alloc(512) },
  'upload.cancel': { prepare: upload },
  'diskSnapshot.create': {
    prepare: disk,
    body: ({ diskId }) => ({
      name: 'nightly',
      snapshot_type: 'full',
      retention_days: 30,
      disk_id: diskId,
    }),
  },
  'diskSnapshot.delete': { prepare: diskSnapshot },
  'diskSnapshot.createDisk': { prepare: diskSnapshot, body: () => ({ name: 'copy', size_gb: 1 }) },
  'diskSnapshotSchedule.set': { prepare: disk, body: () => ({ ...nightly, paused: true }) },
  'diskSnapshotSchedule.delete': { prepare: after('diskSnapshotSchedule.set') },
  'vmPool.create': { body: (made) => ({ ...ofGroup(made), max_size: 3 }) },
  'vmPool.update': { prepare: pool, body: () => ({ desired_size: 2, auto_scaling: false }) },
  'vmPool.rollOut': { prepare: pool, body: twoCores },
  'vmPool.continueRollOut': { prepare: inRollOut(pool) },
  'vmPool.stopRollOut': { prepare: inRollOut(pool) },
  'vmPool.delete': { prepare: pool },
  'vmSet.create': { body: (made) => ({ ...ofGroup(made), replicas: 1 }) },
  'vmSet.update': { prepare: set, body: () => ({ replicas: 1 }) },
  'vmSet.rollOut': { prepare: set, body: twoCores },
  'vmSet.continueRollOut': { prepare: inRollOut(set) },
  'vmSet.stopRollOut': { prepare: inRollOut(set) },
  'vmSet.delete': { prepare: set },
  'network.update': { body: () => ({ internet: false }) },
  'share.create': { prepare: runningVm, body: () => ({ port: 3000 }) },
  'share.update': {
    prepare: after('share.create', 'shareId'),
    body: () => ({ audience: 'everybody' }),
  },
  'share.delete': { prepare: after('share.create', 'shareId') },
  'operation.cancel': { prepare: download },
  'operation.cancelAny': { prepare: download },
  'batch.create': { prepare: runningVm, body: ({ vmId }) => ({ action: 'vm.stop', ids: [vmId] }) },
  'batch.cancel': { prepare: waitingBatch },
  // Nothing is sent to it by itself, and what is asked for ends at once: no such host is looked up.
  'webhook.create': {
    body: () => ({ url: 'https://hooks.invalid/', description: 'chat', paused: true }),
  },
  'webhook.update': { prepare: webhook, body: () => ({ url: 'https://hooks.invalid/other' }) },
  'webhook.renewSecret': { prepare: webhook },
  'webhook.delete': { prepare: webhook },
  'webhook.test': { prepare: webhook },
  'webhook.retry': { prepare: delivery },
  'bin.preview': { prepare: disk, body: ({ diskId }) => ({ ids: [diskId] }) },
  'bin.restore': { prepare: binnedVm },
  'bin.delete': { prepare: binnedDisk },
  'bin.empty': { prepare: binnedDisk, body: ({ itemId }) => ({ ids: [itemId] }) },
  'projectBin.restore': { prepare: binnedProject },
  'projectBin.delete': { prepare: binnedProject },
  'projectBin.empty': { prepare: binnedProject, body: ({ projectId }) => ({ ids: [projectId] }) },
  'notice.set': { body: () => ({ tone: 'info', text: 'Hello' }) },
  'notice.remove': { prepare: after('notice.set') },
  'adminAccount.disable': { prepare: account },
  'adminAccount.enable': { prepare: after('adminAccount.disable') },
  'adminAccount.removeTotp': { prepare: accountWithTotp },
  'adminAccount.setLimits': { prepare: account, body: () => ({ vms: 2 }) },
  'adminMail.retry': { prepare: failedMail },
}

const exampleOf = (id: EndpointId): Example<object | undefined> | undefined => {
  const all: Partial<Record<EndpointId, Example<object | undefined>>> = examples
  return all[id]
}

export function endpointOf(id: EndpointId): Endpoint {
  const endpoint = endpoints.find((one) => one.id === id)
  if (!endpoint) throw new Error(`There is no call ${id}`)
  return endpoint
}

export const idNamesOf = ({ path }: Endpoint): IdName[] =>
  // The type is made of the same paths.
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as IdName)

export const pathOf = (endpoint: Endpoint, ids: Record<IdName, string>): string =>
  fillPath(endpoint.path, Object.fromEntries(idNamesOf(endpoint).map((name) => [name, ids[name]])))

/** The path of a call in a project that is there, in which there is nothing else that a path names. */
export const pathInProject = (endpoint: Endpoint, projectId: string): string =>
  fillPath(
    endpoint.path,
    Object.fromEntries(idNamesOf(endpoint).map((name) => [name, name === 'projectId' ? projectId : 'none'])),
  )

/** The body of the example; calls that only read have none. */
export const bodyOf = (id: EndpointId, made: Made): object | undefined => exampleOf(id)?.body?.(made)

const contentTypes = { form: 'application/x-www-form-urlencoded', file: 'application/octet-stream' }

/** Sends the example as somebody; its body may be about other things than its path. */
export function sendExample(
  person: Pick<Caller, 'raw'>,
  endpoint: Endpoint,
  made: Made,
  ofBody = made,
): Promise<Answer> {
  const { method, takes } = endpoint
  const body = bodyOf(endpoint.id, ofBody)
  const payload = takes === 'form' ? new URLSearchParams(Object.entries(body ?? {})).toString() : body
  const headers: Record<string, string> = takes ? { 'content-type': contentTypes[takes] } : {}
  return person.raw(method, pathOf(endpoint, made), payload, headers)
}

/** Makes at a desk what the example of a call needs, so that it succeeds. */
export async function prepareExample(desk: Desk, id: EndpointId, provider?: TestProvider) {
  const { prepare, by, takesTime } = exampleOf(id) ?? {}
  const { email, password } = desk.ada
  const common = { ...everybodys, ...desk.params, sshKeyId: desk.keyId, email, password }
  // It has everything that its own path and body name.
  const made = { ...common, ...(await prepare?.(desk, provider)) } as Made
  const person = { bob: made.bob, nobody: desk.app.client(), ada: desk.ada }[by ?? 'ada']
  async function send(): Promise<Answer> {
    const answer = sendExample(person, endpointOf(id), made)
    if (takesTime) await desk.pass()
    return answer
  }
  return { made, send }
}
