/**
 * API tokens, members of projects, and the desk of operators. What would change what others see (a member who comes, an
 * account that is disabled, a template that is retired) is only tried where it is refused: the tests of the server and of
 * the browser do it for real.
 */
import {
  accountDeletionApi,
  accountExportApi,
  adminAccountApi,
  adminMailApi,
  apiTokenApi,
  handOverApi,
  noticeApi,
  oidcApi,
  passkeyApi,
  projectMemberApi,
  proofApi,
  templateApi,
  templateBinApi,
  totpApi,
} from '@slipway/contract'
import { requestOf } from '../client.ts'
import { type Errand, idOf, type Operation, on, plain } from './operation.ts'
import { onlyOperator } from './readings.ts'

/** Nobody's: what is asked of it is refused, and changes nothing. */
const nobody = 'nobody'
const builtIn = { templateId: 'starter' }

/** Something that the caller has of a list; nothing when it is empty. */
async function firstIdIn({ person: { client } }: Errand, request: ReturnType<typeof requestOf>) {
  const answer = await client.send(request)
  if (answer?.status !== 200) return null
  const [first] = JSON.parse(answer.text) as { id: string }[]
  return first?.id ?? null
}

const ofNobody = (weight: number, endpoint: Parameters<typeof on>[2], rest: object = {}) =>
  on('project', 'projectId', endpoint, {
    weight,
    parts: (args, find) => ({ params: { projectId: idOf(find(args.on)), memberId: nobody }, ...rest }),
  })

export const ofPeople: Record<string, Operation> = {
  createToken: plain(0.5, apiTokenApi.create, {
    parts: (_args, _find, handle) => ({
      body: { name: handle, access: 'read', project_ids: null, expires_in_days: 7 },
    }),
  }),
  listTokens: plain(0.5, apiTokenApi.list),
  revokeToken: plain(0.5, apiTokenApi.delete, {
    async send(errand) {
      const id = await firstIdIn(errand, requestOf(apiTokenApi.list))
      const params = { apiTokenId: id ?? nobody }
      return errand.person.client.send(requestOf(apiTokenApi.delete, { params }))
    },
  }),

  readTotp: plain(0.2, totpApi.get),
  listPasskeys: plain(0.2, passkeyApi.list),
  removeNoPasskey: plain(0.1, passkeyApi.delete, { parts: () => ({ params: { passkeyId: nobody } }) }),
  listIdentities: plain(0.2, oidcApi.list),
  unlinkNothing: plain(0.1, oidcApi.unlink, { parts: () => ({ params: { identityId: nobody } }) }),
  readProofWays: plain(0.2, proofApi.ways),
  readDeletion: plain(0.3, accountDeletionApi.get),
  exportAccount: plain(0.2, accountExportApi.get),

  listMembers: on('project', 'projectId', projectMemberApi.list, { weight: 0.5 }),
  listInvitations: on('project', 'projectId', projectMemberApi.invitations, { weight: 0.3 }),
  inviteMember: on('project', 'projectId', projectMemberApi.invite, {
    weight: 0.3,
    parts: (args, find, handle) => ({
      params: { projectId: idOf(find(args.on)) },
      body: { email: `${handle}@elsewhere.test`, role: 'viewer' },
    }),
  }),
  withdrawInvitation: on('project', 'projectId', projectMemberApi.withdraw, {
    weight: 0.3,
    async send(errand) {
      const { params = {} } = errand.parts
      const id = await firstIdIn(errand, requestOf(projectMemberApi.invitations, { params }))
      const invitation = { ...params, invitationId: id ?? nobody }
      return errand.person.client.send(requestOf(projectMemberApi.withdraw, { params: invitation }))
    },
  }),
  changeMember: ofNobody(0.1, projectMemberApi.update, { body: { role: 'viewer' } }),
  removeMember: ofNobody(0.1, projectMemberApi.remove),
  handOver: ofNobody(0.1, projectMemberApi.handOver),
  readHandOver: on('project', 'projectId', handOverApi.get, { weight: 0.1 }),
  withdrawNoHandOver: on('project', 'projectId', handOverApi.withdraw, { weight: 0.1 }),
  acceptNoHandOver: on('project', 'projectId', handOverApi.accept, { weight: 0.1 }),
  declineNoHandOver: on('project', 'projectId', handOverApi.decline, { weight: 0.1 }),
  leaveOwnProject: on('project', 'projectId', projectMemberApi.leave, { weight: 0.1 }),
  readInvitation: plain(0.1, projectMemberApi.offer, { parts: () => ({ body: { token: nobody } }) }),
  acceptInvitation: plain(0.1, projectMemberApi.accept, { parts: () => ({ body: { token: nobody } }) }),

  listMails: plain(0.2, adminMailApi.list, onlyOperator),
  sendNoMail: plain(0.1, adminMailApi.retry, {
    ...onlyOperator,
    parts: () => ({ params: { mailId: nobody } }),
  }),
  listAccounts: plain(0.3, adminAccountApi.list, onlyOperator),
  readAccount: plain(0.2, adminAccountApi.get, {
    ...onlyOperator,
    parts: () => ({ params: { accountId: nobody } }),
  }),
  disableNobody: plain(0.1, adminAccountApi.disable, {
    ...onlyOperator,
    parts: () => ({ params: { accountId: nobody } }),
  }),
  enableNobody: plain(0.1, adminAccountApi.enable, {
    ...onlyOperator,
    parts: () => ({ params: { accountId: nobody } }),
  }),
  removeTotpOfNobody: plain(0.1, adminAccountApi.removeTotp, {
    ...onlyOperator,
    parts: () => ({ params: { accountId: nobody } }),
  }),
  limitNobody: plain(0.1, adminAccountApi.setLimits, {
    ...onlyOperator,
    parts: () => ({ params: { accountId: nobody }, body: { vms: 100 } }),
  }),
  setNotice: plain(0.1, noticeApi.set, {
    ...onlyOperator,
    parts: (_args, _find, handle) => ({ body: { tone: 'info', text: handle } }),
  }),
  removeNotice: plain(0.1, noticeApi.remove, onlyOperator),
  listCatalogue: plain(0.3, templateApi.listAll, onlyOperator),
  changeBuiltIn: plain(0.1, templateApi.update, {
    ...onlyOperator,
    parts: (_args, _find, handle) => ({
      params: builtIn,
      body: { name: handle, description: handle, default_cpu: 1, default_memory_mb: 512, image_url: null },
    }),
  }),
  offerBuiltIn: plain(0.1, templateApi.offer, { ...onlyOperator, parts: () => ({ params: builtIn }) }),
  deleteBuiltIn: plain(0.1, templateApi.delete, { ...onlyOperator, parts: () => ({ params: builtIn }) }),
  listTemplateBin: plain(0.2, templateBinApi.list, onlyOperator),
  restoreNoTemplate: plain(0.1, templateBinApi.restore, {
    ...onlyOperator,
    parts: () => ({ params: { itemId: nobody } }),
  }),
  deleteNoTemplateForGood: plain(0.1, templateBinApi.delete, {
    ...onlyOperator,
    parts: () => ({ params: { itemId: nobody } }),
  }),
  retireNothing: plain(0.1, templateApi.retire, {
    ...onlyOperator,
    parts: () => ({ params: { templateId: nobody } }),
  }),
}
