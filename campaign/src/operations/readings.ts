/** What users only look at or type into. Nothing becomes known by it but that it answers. */
import {
  activityApi,
  consoleApi,
  diskApi,
  diskSnapshotApi,
  eventApi,
  healthApi,
  hostApi,
  networkApi,
  operationApi,
  projectApi,
  quotaApi,
  searchApi,
  shareApi,
  sshKeyApi,
  startScriptApi,
  templateApi,
  usageApi,
  vmApi,
  vmPoolApi,
  vmSetApi,
  vmSnapshotApi,
} from '@slipway/contract'
import { requestOf } from '../client.ts'
import { imageUrl } from '../downloads.ts'
import { operator } from '../host.ts'
import { type Called, type Choice, type Operation, on, plain } from './operation.ts'
import { typeInConsole, watchScreen } from './sockets.ts'

const inProject = (weight: number, endpoint: Called) => on('project', 'projectId', endpoint, { weight })

/** Only the operator may, who is user 0. */
export const onlyOperator = { choose: ({ user }: Choice) => (user === 0 ? {} : null) }

export const readings: Record<string, Operation> = {
  readHost: plain(0.5, hostApi.get),
  readHealthOfHost: plain(0.5, hostApi.health),
  readOpenApi: plain(0.2, hostApi.openApi),
  readMetrics: plain(0.5, hostApi.metrics, {
    ...onlyOperator,
    send: ({ person: { client } }) =>
      client.send({
        ...requestOf(hostApi.metrics),
        headers: { authorization: `Bearer ${operator.metricsToken}` },
      }),
  }),
  readHealth: plain(0.5, healthApi.get, onlyOperator),
  readCapacity: plain(0.3, healthApi.capacity, onlyOperator),
  exportActivity: plain(0.2, activityApi.export, onlyOperator),
  listAllOperations: plain(0.5, operationApi.listAll, onlyOperator),
  listProjects: plain(1, projectApi.list),
  listKeys: plain(0.5, sshKeyApi.list),
  listTemplates: plain(1, templateApi.list),
  readScriptOfTemplate: plain(0.2, templateApi.startScript, {
    parts: () => ({ params: { templateId: 'starter' } }),
  }),
  checkImage: plain(0.3, templateApi.checkImage, {
    parts: (_args, _find, handle) => ({ body: { image_url: imageUrl('whole', handle) } }),
  }),
  prepareTemplate: plain(0.2, templateApi.prepare, { parts: () => ({ params: { templateId: 'starter' } }) }),
  readOwnActivity: plain(1, activityApi.ofAccount),
  search: plain(2, searchApi.find, { parts: () => ({ query: { q: 's1' } }) }),
  openOwnStream: plain(0.5, eventApi.streamAll),
  openStream: inProject(0.5, eventApi.stream),
  listVms: inProject(2, vmApi.list),
  listDisks: inProject(0.5, diskApi.list),
  listVmSnapshots: inProject(0.5, vmSnapshotApi.list),
  listDiskSnapshots: inProject(0.5, diskSnapshotApi.list),
  listPools: inProject(0.5, vmPoolApi.list),
  listSets: inProject(0.5, vmSetApi.list),
  listOperations: inProject(1, operationApi.list),
  readActivity: inProject(1, activityApi.ofProject),
  readOwnQuota: plain(0.5, quotaApi.ofAccount),
  readQuota: inProject(0.5, quotaApi.ofProject),
  readNetwork: inProject(1, networkApi.get),
  readUsage: inProject(1, usageApi.ofProject),
  readUsageOfVms: inProject(1, usageApi.ofVms),
  getVm: on('vm', 'vmId', vmApi.get, { weight: 2 }),
  readUsageOfVm: on('vm', 'vmId', usageApi.ofVm, { weight: 0.5 }),
  readNetworkOfVm: on('vm', 'vmId', networkApi.ofVm, { weight: 0.5 }),
  listShares: inProject(0.5, shareApi.list),
  readPorts: on('vm', 'vmId', shareApi.ports, { weight: 0.5 }),
  readStartScript: on('vm', 'vmId', startScriptApi.get, { weight: 0.5 }),
  readConsole: on('vm', 'vmId', consoleApi.log, { weight: 1 }),
  typeInConsole: on('vm', 'vmId', consoleApi.open, { weight: 2, send: typeInConsole }),
  watchScreen: on('vm', 'vmId', consoleApi.screen, { weight: 0.5, send: watchScreen }),
  readPoolHistory: on('vmPool', 'poolId', vmPoolApi.history, { weight: 1 }),
  readSetHistory: on('vmSet', 'setId', vmSetApi.history, { weight: 0.5 }),
  readUsageOfPool: on('vmPool', 'poolId', usageApi.ofVmPool, { weight: 0.5 }),
  readUsageOfSet: on('vmSet', 'setId', usageApi.ofVmSet, { weight: 0.5 }),
}
