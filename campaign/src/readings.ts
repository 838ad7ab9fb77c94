/** What users only look at or type into. Nothing becomes known by it but that it answers. */
import {
  activityApi,
  consoleApi,
  type Endpoint,
  projectApi,
  searchApi,
  templateApi,
  usageApi,
  vmApi,
  vmPoolApi,
} from '@slipway/contract'
import type { Operation } from './operation.ts'
import { typeInConsole } from './type-in-console.ts'
import type { Kind } from './world.ts'

type OnObject = (
  kind: Kind,
  param: string,
  endpoint: Operation['endpoint'],
  rest: Pick<Operation, 'weight' | 'send'>,
) => Operation

/** Something of the account, which needs no object. */
const plain = (weight: number, endpoint: Pick<Endpoint, 'method' | 'path' | 'status' | 'id'>): Operation => ({
  weight,
  endpoint,
  choose: () => ({}),
  parts: () => ({}),
})

export const readings = (on: OnObject): Record<string, Operation> => ({
  listProjects: plain(1, projectApi.list),
  listTemplates: plain(1, templateApi.list),
  readOwnActivity: plain(1, activityApi.ofAccount),
  search: { ...plain(2, searchApi.find), parts: () => ({ query: { q: 's1' } }) },
  listVms: on('project', 'projectId', vmApi.list, { weight: 2 }),
  readActivity: on('project', 'projectId', activityApi.ofProject, { weight: 1 }),
  readUsage: on('project', 'projectId', usageApi.ofProject, { weight: 1 }),
  readUsageOfVms: on('project', 'projectId', usageApi.ofVms, { weight: 1 }),
  getVm: on('vm', 'vmId', vmApi.get, { weight: 2 }),
  readConsole: on('vm', 'vmId', consoleApi.log, { weight: 1 }),
  typeInConsole: on('vm', 'vmId', consoleApi.open, { weight: 2, send: typeInConsole }),
  getPool: on('vmPool', 'poolId', vmPoolApi.get, { weight: 1 }),
  readPoolHistory: on('vmPool', 'poolId', vmPoolApi.history, { weight: 1 }),
})
