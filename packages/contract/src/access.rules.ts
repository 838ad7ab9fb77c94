/** What members of a project may do: one table for the server, which refuses by it, and the console, which disables by it. */
import type { routes } from './routes.ts'

/** What somebody is in a project, the least first; each may do all that those before may. */
export const projectRoles = ['viewer', 'operator', 'owner'] as const
export type ProjectRole = (typeof projectRoles)[number]

type Routes = typeof routes

/** The calls that are about one project, by their paths: one that is added needs a line in the table below. */
export type ProjectEndpointId = {
  [Id in keyof Routes]: Routes[Id] extends `${string}/:projectId${string}` ? Id : never
}[keyof Routes]

/** The least that somebody has to be in a project for each call about it. */
export const leastRoles: Readonly<Record<ProjectEndpointId, ProjectRole>> = {
  'project.delete': 'owner',
  'projectMember.list': 'viewer',
  'projectMember.update': 'owner',
  'projectMember.remove': 'owner',
  'projectMember.handOver': 'owner',
  'projectMember.leave': 'viewer',
  'projectMember.invitations': 'owner',
  'projectMember.invite': 'owner',
  'projectMember.withdraw': 'owner',
  'handOver.get': 'viewer',
  'handOver.withdraw': 'owner',
  // By the member who is asked, whatever they are.
  'handOver.accept': 'viewer',
  'handOver.decline': 'viewer',
  'vm.list': 'viewer',
  'vm.create': 'operator',
  'vm.get': 'viewer',
  'vm.delete': 'operator',
  'vm.start': 'operator',
  'vm.stop': 'operator',
  'vm.update': 'operator',
  'vm.keepAwake': 'operator',
  'vm.suspend': 'operator',
  'vm.fork': 'operator',
  'vm.restart': 'operator',
  'vm.usage': 'viewer',
  // Whatever is typed or printed there can be a secret.
  'vm.console': 'operator',
  'vm.consoleLog': 'operator',
  'vm.screen': 'operator',
  'startScript.get': 'operator',
  'vmSnapshot.list': 'viewer',
  'vmSnapshot.create': 'operator',
  'vmSnapshot.restore': 'operator',
  'vmSnapshot.createVms': 'operator',
  'vmSnapshot.delete': 'operator',
  'vmSnapshotSchedule.list': 'viewer',
  'vmSnapshotSchedule.get': 'viewer',
  'vmSnapshotSchedule.set': 'operator',
  'vmSnapshotSchedule.delete': 'operator',
  'disk.list': 'viewer',
  'disk.create': 'operator',
  'disk.update': 'operator',
  'disk.delete': 'operator',
  'disk.attach': 'operator',
  'disk.detach': 'operator',
  // Whatever is on a disk can be a secret.
  'disk.download': 'operator',
  'upload.list': 'viewer',
  'upload.create': 'operator',
  'upload.get': 'viewer',
  'upload.send': 'operator',
  'upload.cancel': 'operator',
  'diskSnapshot.list': 'viewer',
  'diskSnapshot.create': 'operator',
  'diskSnapshot.delete': 'operator',
  'diskSnapshot.createDisk': 'operator',
  'diskSnapshot.download': 'operator',
  'diskSnapshotSchedule.list': 'viewer',
  'diskSnapshotSchedule.get': 'viewer',
  'diskSnapshotSchedule.set': 'operator',
  'diskSnapshotSchedule.delete': 'operator',
  'vmPool.list': 'viewer',
  'vmPool.create': 'operator',
  'vmPool.update': 'operator',
  'vmPool.rollOut': 'operator',
  'vmPool.continueRollOut': 'operator',
  'vmPool.stopRollOut': 'operator',
  'vmPool.delete': 'operator',
  'vmPool.get': 'viewer',
  'vmPool.history': 'viewer',
  'vmPool.usage': 'viewer',
  'vmSet.list': 'viewer',
  'vmSet.create': 'operator',
  'vmSet.update': 'operator',
  'vmSet.rollOut': 'operator',
  'vmSet.continueRollOut': 'operator',
  'vmSet.stopRollOut': 'operator',
  'vmSet.delete': 'operator',
  'vmSet.get': 'viewer',
  'vmSet.history': 'viewer',
  'vmSet.usage': 'viewer',
  'network.get': 'viewer',
  'network.update': 'owner',
  'network.ofVm': 'viewer',
  'share.list': 'viewer',
  'share.create': 'operator',
  'share.update': 'operator',
  'share.delete': 'operator',
  'share.ports': 'operator',
  'usage.ofProject': 'viewer',
  'usage.ofVms': 'viewer',
  'quota.ofProject': 'viewer',
  'operation.list': 'viewer',
  'operation.cancel': 'operator',
  'batch.list': 'viewer',
  // The least for each of the calls that it makes.
  'batch.create': 'operator',
  'batch.get': 'viewer',
  'batch.cancel': 'operator',
  // A URL often holds a key of its receiver.
  'webhook.list': 'operator',
  'webhook.get': 'operator',
  'webhook.deliveries': 'operator',
  'webhook.create': 'owner',
  'webhook.update': 'owner',
  'webhook.renewSecret': 'owner',
  'webhook.delete': 'owner',
  'webhook.test': 'owner',
  'webhook.retry': 'owner',
  'bin.list': 'viewer',
  'bin.preview': 'operator',
  // As for deleting what is in it.
  'bin.restore': 'operator',
  'bin.delete': 'operator',
  'bin.empty': 'operator',
  'activity.ofProject': 'viewer',
  'event.stream': 'viewer',
}

export const accessTexts = {
  operator: 'Your role in this project is viewer. Ask its owner to make you an operator.',
  owner: 'Only the owner of the project can do this.',
} as const

/** Whether one role can do all that another can. */
export const isAtLeast = (role: ProjectRole, least: ProjectRole): boolean =>
  projectRoles.indexOf(role) >= projectRoles.indexOf(least)

/** Whether the table asks for a role before this call. */
export const isOfProject = (id: string): id is ProjectEndpointId => Object.hasOwn(leastRoles, id)

/** Whether somebody of this role may make this call; otherwise the sentence that says who may. */
export function roleMay(role: ProjectRole, id: ProjectEndpointId): true | string {
  const least = leastRoles[id]
  return isAtLeast(role, least) || least === 'viewer' ? true : accessTexts[least]
}
