import {
  type ActivityObject,
  accountApi,
  type EndpointId,
  endpoints,
  messages,
  projectApi,
  vmPoolApi,
} from '@slipway/contract'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { tokenOf, withoutBin } from '../app.test-kit.ts'
import { refuse } from '../db/database.test-kit.ts'
import { everythingIn } from '../db/everything.test-kit.ts'
import { type Desk, deskWith, it, openDesk } from '../desk.test-kit.ts'
import { exampleOptions, type IdName, prepareExample } from '../example-requests.test-kit.ts'
import { startProvider } from '../oidc.test-kit.ts'

const provider = await startProvider()
const options = exampleOptions(provider)

/** Every entry there is, oldest first, as it is stored. */
const stored = ({ app: { db } }: Desk) => db.selectFrom('activity').selectAll().orderBy('id').execute()

/** Everything but that somebody tried: a session tells when it was used, and a challenge is used once. */
const everything = async ({ app: { db } }: Desk) => [
  ...(await everythingIn(db, ['session', 'pending_sign_in', 'passkey_challenge'])),
  await db.selectFrom('session').select('token_hash').execute(),
]

/** What happened since some entries, as `kind action` and object. */
const toldSince = (entries: Awaited<ReturnType<typeof stored>>, before: typeof entries) =>
  entries.slice(before.length).map(({ kind, action, object_name }) => `${kind} ${action} ${object_name}`)

/** What an entry is about, by type and name, and its message; null where a call leaves none. */
type Told = [type: ActivityObject, name: string, message: string, more?: { by?: string; in?: 'both' }] | null

const ada = 'Ada Lovelace'

/** What each call that changes something is told as; Ada makes it, unless somebody else or nobody does. */
const told: Partial<Record<EndpointId, Told>> = {
  'account.signUp': ['account', 'Grace', 'Signed up', { by: 'Grace' }],
  'account.signIn': ['account', ada, 'Signed in'],
  'account.signInWithCode': ['account', ada, 'Signed in'],
  'account.signInWithPasskey': ['account', ada, 'Signed in'],
  // What a browser is asked is no change yet.
  'account.beginPasskey': null,
  'proof.beginPasskey': null,
  'passkey.begin': null,
  'passkey.create': ['passkey', 'Phone', 'Added passkey Phone'],
  'passkey.rename': ['passkey', 'Key ring', 'Renamed passkey Phone to Key ring'],
  'passkey.delete': ['passkey', 'Phone', 'Removed passkey Phone'],
  'proof.give': ['account', ada, 'Confirmed their identity'],
  'totp.begin': ['account', ada, 'Began to set up two-factor authentication'],
  'totp.confirm': ['account', ada, 'Turned two-factor authentication on'],
  'totp.remove': ['account', ada, 'Turned two-factor authentication off'],
  'totp.renewCodes': ['account', ada, 'Created new recovery codes'],
  'account.signOut': ['account', ada, 'Signed out'],
  'account.resendVerification': [
    'account',
    'Grace',
    'A new verification link was requested',
    { by: 'nobody' },
  ],
  'account.verifyEmail': ['account', 'Grace', 'Verified the email address', { by: 'Grace' }],
  'account.forgotPassword': ['account', ada, 'A password reset link was requested', { by: 'nobody' }],
  'account.resetPassword': ['account', ada, 'Reset the password with an emailed link'],
  'account.update': ['account', 'Countess', 'Changed the name to Countess', { by: 'Countess' }],
  'account.changePassword': ['account', ada, 'Changed the password'],
  'account.changeEmail': ['account', ada, 'Change of the email address requested'],
  'account.confirmEmail': ['account', ada, 'Changed the email address'],
  'account.endSession': ['account', ada, 'Ended a session'],
  'account.endOtherSessions': ['account', ada, 'Ended all other sessions'],
  'accountDeletion.request': [
    'account',
    'Bob',
    'Deletion of the account in 30 days requested',
    { by: 'Bob' },
  ],
  'accountDeletion.cancel': ['account', 'Bob', 'Kept the account', { by: 'Bob' }],
  // Nothing has happened yet.
  'oidc.begin': null,
  'oidc.link': null,
  'oidc.unlink': ['account', ada, 'Unlinked the identity at Office'],
  'oidc.signOut': ['account', 'Grace', 'Signed out by Office', { by: 'Grace' }],
  'batch.create': ['batch', 'Stop 1 VM', 'Stop 1 VM requested'],
  'batch.cancel': ['batch', 'Stop 1 VM', 'Cancelled the batch "Stop 1 VM"'],
  'project.create': ['project', 'shop', 'Created project shop', { in: 'both' }],
  'project.delete': ['project', 'p', 'Deleted project p', { in: 'both' }],
  'network.update': ['project', 'p', 'Switched off the Internet access of project p'],
  'projectMember.invite': ['project', 'p', 'Invited bob@slipway.test to project p as viewer'],
  'projectMember.withdraw': ['project', 'p', 'Withdrew the invitation of person-2@slipway.test to project p'],
  // It only looks.
  'projectMember.offer': null,
  'projectMember.accept': ['project', 'p', 'Joined project p as viewer', { by: 'Bob' }],
  'projectMember.update': ['project', 'p', 'Made Bob an operator of project p'],
  'projectMember.remove': ['project', 'p', 'Removed Bob from project p'],
  'projectMember.handOver': ['project', 'p', 'Asked Bob to take over project p'],
  'handOver.withdraw': ['project', 'p', 'Withdrew the hand-over of project p to Bob'],
  'handOver.accept': ['project', 'p', 'Took over project p from Ada Lovelace', { by: 'Bob' }],
  'handOver.decline': ['project', 'p', 'Declined to take over project p from Ada Lovelace', { by: 'Bob' }],
  'projectMember.leave': ['project', 'p', 'Left project p', { by: 'Bob' }],
  'sshKey.create': ['ssh_key', 'laptop', 'Added SSH key laptop'],
  'sshKey.prove': ['ssh_key', 'k', 'Requested proof of SSH key k'],
  'sshKey.delete': ['ssh_key', 'k', 'Deleted SSH key k'],
  'apiToken.create': ['api_token', 'ci', 'Created API token ci'],
  'apiToken.delete': ['api_token', 'ci', 'Revoked API token ci'],
  'adminAccount.disable': ['account', 'Bob', 'Disabled account Bob'],
  'adminAccount.enable': ['account', 'Bob', 'Enabled account Bob'],
  'adminAccount.setLimits': ['account', 'Bob', 'Set the limits of account Bob: 2 VMs'],
  'adminAccount.removeTotp': ['account', 'Bob', 'Turned two-factor authentication of account Bob off'],
  'adminMail.retry': ['account', ada, 'Had the mail verify to person-1@slipway.test sent again'],
  'notice.set': ['account', ada, 'Set the notice for everybody'],
  'notice.remove': ['account', ada, 'Removed the notice for everybody'],
  'template.create': ['template', 'Rust', 'Added template Rust'],
  'template.update': ['template', 'Rust', 'Changed template Rust'],
  'template.retire': ['template', 'Rust', 'Retired template Rust'],
  'template.offer': ['template', 'Rust', 'Offered template Rust again'],
  'template.delete': ['template', 'Rust', 'Deleted template Rust'],
  // A built-in template has its name.
  'templateBin.restore': ['template', 'Rust-2', 'Restored template Rust from the bin'],
  'templateBin.delete': ['template', 'Rust', 'Deleted template Rust in the bin for good'],
  // It only looks.
  'template.checkImage': null,
  'template.prepare': ['template', 'Starter Linux', 'Prepare boot image of template Starter Linux requested'],
  'vm.create': ['vm', 'web', 'Create VM web requested'],
  'vm.delete': ['vm', 'web', 'Delete VM web requested'],
  'vm.start': ['vm', 'web', 'Start VM web requested'],
  'vm.stop': ['vm', 'web', 'Stop VM web requested'],
  'vm.suspend': ['vm', 'web', 'Suspend VM web requested'],
  'vm.update': ['vm', 'web', 'VM web is to be suspended after 30 minutes without use'],
  'vm.keepAwake': ['vm', 'web', 'Kept VM web awake'],
  'vm.fork': ['vm', 'copy', 'Create VM copy as a fork of web requested'],
  'vm.restart': ['vm', 'web', 'Restart VM web requested'],
  'vmSnapshot.create': ['vm_snapshot', 'nightly', 'Create snapshot nightly of VM web requested'],
  'vmSnapshot.restore': ['vm', 'web', 'Restore VM web from snapshot nightly requested'],
  'vmSnapshot.createVms': ['vm', 'copy', 'Create VM copy from snapshot nightly requested'],
  'vmSnapshot.delete': ['vm_snapshot', 'nightly', 'Delete snapshot nightly of VM web requested'],
  'vmSnapshotSchedule.set': [
    'vm',
    'web',
    'Set the snapshot schedule of VM web: daily at 03:00, keeps 7 (UTC)',
  ],
  'vmSnapshotSchedule.delete': ['vm', 'web', 'Deleted the snapshot schedule of VM web'],
  'diskSnapshotSchedule.set': [
    'disk',
    'data',
    'Set the snapshot schedule of disk data, paused: daily at 03:00, keeps 7 (UTC)',
  ],
  'diskSnapshotSchedule.delete': ['disk', 'data', 'Deleted the snapshot schedule of disk data'],
  'disk.create': ['disk', 'data', 'Create disk data requested'],
  'upload.create': ['disk', 'data', 'Create disk data from file data.img requested'],
  'upload.send': null,
  'upload.cancel': ['disk', 'data', 'Cancelled the upload for disk data'],
  'disk.delete': ['disk', 'data', 'Delete disk data requested'],
  'disk.update': ['disk', 'data', 'Enlarge disk data to 2Gi requested'],
  'disk.attach': ['disk', 'data', 'Attached disk data to VM web'],
  'disk.detach': ['disk', 'data', 'Detach disk data from VM web requested'],
  'diskSnapshot.create': ['disk_snapshot', 'nightly', 'Create snapshot nightly of disk data requested'],
  'diskSnapshot.delete': ['disk_snapshot', 'nightly', 'Delete snapshot nightly of disk data requested'],
  'diskSnapshot.createDisk': ['disk', 'copy', 'Create disk copy from snapshot nightly requested'],
  'share.create': ['share', 'web:3000', 'Shared port 3000 of VM web'],
  'share.update': ['share', 'web:3000', 'Changed sharing of port 3000 of VM web'],
  'share.delete': ['share', 'web:3000', 'Stopped sharing port 3000 of VM web'],
  'bin.restore': ['vm', 'web', 'Restored VM web from the bin'],
  'bin.delete': ['disk', 'data', 'Delete disk data in the bin for good requested'],
  // It only looks.
  'bin.preview': null,
  'bin.empty': ['disk', 'data', 'Delete disk data in the bin for good requested'],
  'projectBin.restore': ['project', 'p', 'Restored project p from the bin', { in: 'both' }],
  'projectBin.delete': ['project', 'p', 'Delete project p in the bin for good requested', { in: 'both' }],
  'projectBin.empty': ['project', 'p', 'Delete project p in the bin for good requested', { in: 'both' }],
  'operation.cancel': ['disk', 'data', 'Cancelled the creation of disk data'],
  'operation.cancelAny': ['disk', 'data', 'Cancelled the creation of disk data'],
  'vmPool.create': ['vm_pool', 'web', 'Create pool web with 1 VM requested'],
  'vmPool.update': ['vm_pool', 'web', 'Update pool web requested: size 1 to 2, auto scaling turned off'],
  'vmPool.rollOut': ['vm_pool', 'web', 'Roll out to pool web requested: 1 core to 2 cores'],
  'vmPool.continueRollOut': ['vm_pool', 'web', 'Continue the roll-out to pool web requested'],
  'vmPool.stopRollOut': ['vm_pool', 'web', 'Stop the roll-out to pool web requested'],
  'vmPool.delete': ['vm_pool', 'web', 'Delete pool web and its VMs requested'],
  'vmSet.create': ['vm_set', 'web', 'Create set web with 1 VM requested'],
  'vmSet.update': ['vm_set', 'web', 'Retry set web requested'],
  'vmSet.rollOut': ['vm_set', 'web', 'Roll out to set web requested: 1 core to 2 cores'],
  'vmSet.continueRollOut': ['vm_set', 'web', 'Continue the roll-out to set web requested'],
  'vmSet.stopRollOut': ['vm_set', 'web', 'Stop the roll-out to set web requested'],
  'vmSet.delete': ['vm_set', 'web', 'Delete set web and its VMs requested'],
  'webhook.create': ['webhook', 'chat', 'Created webhook chat'],
  'webhook.update': ['webhook', 'chat', 'Changed webhook chat'],
  'webhook.renewSecret': ['webhook', 'chat', 'Created a new secret for webhook chat'],
  'webhook.delete': ['webhook', 'chat', 'Deleted webhook chat'],
  'webhook.test': ['webhook', 'chat', 'Send a test to webhook chat requested'],
  'webhook.retry': ['webhook', 'chat', 'Send a delivery of webhook chat again requested'],
}

/** What ids of objects are called in paths; accounts are found by their names. */
const idNames: Record<Exclude<ActivityObject, 'account'>, IdName> = {
  project: 'projectId',
  ssh_key: 'sshKeyId',
  api_token: 'apiTokenId',
  passkey: 'passkeyId',
  template: 'templateId',
  vm: 'vmId',
  vm_pool: 'poolId',
  vm_set: 'setId',
  disk: 'diskId',
  vm_snapshot: 'snapshotId',
  disk_snapshot: 'diskSnapshotId',
  share: 'shareId',
  batch: 'batchId',
  webhook: 'webhookId',
}
/** They belong to an account; all else is in a project. */
const ofAccounts: readonly ActivityObject[] = ['account', 'ssh_key', 'api_token', 'passkey', 'template']
const createsSomething = /\.(create\w*|fork)$/
/** They must not tell whether there is such an account, so they do the rest after the answer. */
const goOnAfterTheAnswer: readonly EndpointId[] = ['account.resendVerification', 'account.forgotPassword']

/** They take a challenge of the server, which is used up also when nothing comes of it. */
const takeChallenge: readonly EndpointId[] = ['account.signInWithPasskey', 'passkey.create']

/** Makes ready what a call needs; `act` makes it, and waits for all that it does. */
async function prepare(desk: Desk, id: EndpointId) {
  const { made, send } = await prepareExample(desk, id, provider)
  // Its calls are made later, by the server.
  if (id === 'batch.create') await refuse(desk.app.db, 'update', 'batch_item')
  async function act() {
    const answer = await send()
    if (goOnAfterTheAnswer.includes(id)) await desk.app.idle()
    return answer
  }
  return { made, act }
}

const idOfAccount = async ({ app: { db } }: Desk, name: string) =>
  (await db.selectFrom('account').select('id').where('name', '=', name).executeTakeFirstOrThrow()).id

/** The id of what is new stands in the answer, that of the first where there are several. */
const idOfNew = (body: unknown) => ([body].flat() as { id: string }[])[0]?.id

describe('whoever asks for something', () => {
  for (const { id, method, status } of endpoints) {
    if (method === 'GET') continue
    describe(id, () => {
      let desk: Desk
      let call: Awaited<ReturnType<typeof prepare>>
      beforeAll(async () => {
        desk = await openDesk(options)
        call = await prepare(desk, id)
      })
      afterAll(() => desk.close())

      // At the same desk, and first: it leaves nothing that would be in the way of the other.
      if (told[id])
        it(`changes nothing by ${id} when its entry cannot be written`, async () => {
          const before = await everything(desk)
          const allow = await refuse(desk.app.db, 'insert', 'activity')
          expect((await call.act()).status).toBe(goOnAfterTheAnswer.includes(id) ? status : 500)
          expect(await everything(desk)).toEqual(before)
          await allow()
        })

      it(`leaves one entry by ${id}`, async () => {
        const entry = told[id]
        if (entry === undefined) expect.fail(`say in the table of this test what ${id} is told as`)
        const { made, act } = takeChallenge.includes(id) ? await prepare(desk, id) : call
        const before = await stored(desk)
        const answer = await act()
        expect(answer.status).toBe(status)
        // What Slipway does by itself meanwhile is told as well, of nobody.
        const asked = (await stored(desk))
          .slice(before.length)
          .filter(({ kind }) => kind === 'wish' || kind === 'access')
        if (!entry) return expect(asked).toEqual([])
        const [type, name, message, { by = ada, in: log } = {}] = entry
        const actor = by === 'nobody' ? null : { id: await idOfAccount(desk, by), name: by }
        const isOwn = log === 'both' || ofAccounts.includes(type)
        const objectId =
          type === 'account'
            ? await idOfAccount(desk, name)
            : createsSomething.test(id)
              ? idOfNew(answer.body)
              : made[idNames[type]]
        expect(objectId).toBeDefined()
        expect(asked).toMatchObject([
          {
            kind: /\.sign(In|Out)/.test(id) ? 'access' : 'wish',
            action: id,
            message,
            actor_id: actor?.id ?? null,
            actor_name: actor?.name ?? null,
            object_type: type,
            object_id: objectId,
            object_name: name,
            project_id: ofAccounts.includes(type) ? null : type === 'project' ? objectId : made.projectId,
            account_id: isOwn ? (type === 'account' ? objectId : actor?.id) : null,
          },
        ])
      })
    })
  }

  it('leaves one for the request that came first to a disk, and none for the other', async ({ desk }) => {
    const disks = [{ disk_id: await desk.readyDisk() }]
    const before = await stored(desk)
    const answers = await Promise.all([desk.createVm('a', { disks }), desk.createVm('b', { disks })])
    const winner = answers.find(({ status }) => status === 201)?.body.name
    expect(toldSince(await stored(desk), before)).toEqual([
      `wish vm.create ${winner}`,
      'wish disk.attach data',
    ])
  })

  it('leaves one for each disk that a new VM takes', async ({ desk }) => {
    const diskId = await desk.readyDisk()
    const before = await stored(desk)
    await desk.createVm('web', { disks: [{ disk_id: diskId }] })
    expect(toldSince(await stored(desk), before)).toEqual(['wish vm.create web', 'wish disk.attach data'])
  })

  it('leaves none when it is refused, nor by only looking', async ({ desk }) => {
    const id = await desk.runningVm('web')
    const before = await stored(desk)
    expect((await desk.act('start', id)).status).toBe(409)
    expect((await desk.createVm('')).status).toBe(400)
    expect((await desk.deleteDisk('nobody-has-this')).status).toBe(404)
    await desk.vm(id)
    await desk.disks()
    expect(await stored(desk)).toEqual(before)
  })

  it('a sign-in that fails is told to the account, and tells no secret', async ({ desk }) => {
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
  })

  it('no secret gets into the log', async ({ desk }) => {
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
  })
})

const createPool = ({ ada, params, keyId }: Desk, more: object = {}) =>
  ada.call(vmPoolApi.create, {
    params,
    body: { name: 'web', template_id: 'starter', ssh_key_id: keyId, max_size: 3, ...more },
  })

const crash = { how: 'crashed', reason: 'The guest stopped unexpectedly.' } as const

describe('what Slipway does by itself', () => {
  it('tells of a VM when it runs, is stopped and is gone, and of nothing in between', async () => {
    const desk = await deskWith(withoutBin)

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
  })

  it('tells of disks and snapshots when they are there and when they are gone', async () => {
    const desk = await deskWith(withoutBin)

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
    expect(entries.filter(({ action }) => action === 'disk.available').map(({ reason }) => reason)).toEqual([
      null,
      'VM web was deleted.',
    ])
  })

  it('tells when a snapshot has expired', async ({ desk }) => {
    const id = await desk.readyDiskSnapshot(await desk.readyDisk(), { name: 'a', retention_days: 1 })
    const before = await stored(desk)
    await desk.pass(25 * 60 * 60_000)
    const entries = await stored(desk)
    expect(toldSince(entries, before)).toEqual([
      'change diskSnapshot.expired a',
      'change diskSnapshot.deleted a',
    ])
    expect(entries.at(-1)).toMatchObject({ object_id: id, actor_id: null })
  })

  it('tells of a restore, and of the snapshot it leaves behind', async ({ desk }) => {
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
  })

  it('tells of every failure with its reason, once', async ({ desk }) => {
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
  })

  it('a guest that does not let go of a disk is a failure beside the wish', async ({ desk }) => {
    const diskId = await desk.readyDisk()
    await desk.runningVm('fault-clings', { disks: [{ disk_id: diskId }] })
    const before = await stored(desk)
    expect((await desk.detach(diskId)).status).toBe(409)
    expect(toldSince(await stored(desk), before)).toEqual([
      'wish disk.detach data',
      'failure disk.notDetached data',
    ])
  })

  it('a restore that comes to nothing is a failure', async ({ desk }) => {
    const vmId = await desk.runningVm('web')
    const id = await desk.readyVmSnapshot(vmId, { name: 'a' })
    desk.app.engine.loseSnapshot('machine', id)
    const before = await stored(desk)
    await desk.restore(id, vmId)
    await desk.pass()
    const entries = await stored(desk)
    expect(toldSince(entries, before)).toContain('failure vm.notRestored web')
    expect(entries.find(({ action }) => action === 'vm.notRestored')?.reason).toMatch(/\.$/)
  })

  it('a VM that is started again after its host was is a repair, and one that rebooted is not', async ({
    desk,
  }) => {
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
  })

  it('tells of the members of a pool what happens to them, and of the pool when it has its size', async ({
    desk,
  }) => {
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
  })

  for (const [persistent, action] of [
    [true, 'vm.healed'],
    [false, 'vm.replaced'],
  ] as const) {
    it(`a member that broke is a failure, and ${action} is a repair with the same reason`, async ({
      desk,
    }) => {
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
    })
  }

  it('a pool whose VMs cannot be created has one entry for a failure, however often it comes again', async ({
    desk,
  }) => {
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
  })

  it('a pool in error is tried again at once when somebody changes it, and then says again what fails', async ({
    desk,
  }) => {
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
  })

  it('the autoscaler tells its reason', async ({ desk }) => {
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
  })

  it('a server that is closed in the middle tells each thing once', async ({ desk }) => {
    const before = await stored(desk)
    await desk.createVm('web')
    await desk.app.restart()
    await desk.pass()
    await desk.app.restart()
    await desk.pass()
    expect(toldSince(await stored(desk), before)).toEqual(['wish vm.create web', 'change vm.running web'])
  })

  it('entries outlive what they tell of, with the names of that moment', async ({ desk }) => {
    const { body } = await desk.ada.call(projectApi.create, { body: { name: 'brief' } })
    await desk.ada.call(projectApi.delete, { params: { projectId: body.id } })
    expect((await stored(desk)).slice(-2)).toMatchObject([
      { action: 'project.create', object_name: 'brief', project_id: body.id },
      { action: 'project.delete', object_name: 'brief', actor_name: 'Ada Lovelace' },
    ])
    expect((await desk.ada.raw('GET', `/api/projects/${body.id}/activity`)).body).toEqual({
      message: messages.projectNotFound,
    })
  })
})
