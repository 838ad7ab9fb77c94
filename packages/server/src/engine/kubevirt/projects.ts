/** What a project has of its own in the cluster: a namespace, who may come in, how much it may take, and the right to copy boot images. */
import { isDeepStrictEqual } from 'node:util'
import { type Engine, EngineError } from '../engine.ts'
import { inOurWords } from './failure.ts'
import type { Ground } from './ground.ts'
import { kinds } from './kinds.ts'
import { isKube } from './kube/kube-error.ts'
import type { Policies } from './project-policy.ts'
import { makeOnce, removeOnce } from './removal.ts'
import { requireSight } from './sight.ts'

const notMade = 'The project could not be set up in the cluster.'
const notRemoved = 'The project could not be removed from the cluster.'
const rbac = 'rbac.authorization.k8s.io'

/** KubeVirt's launchers need more than the other levels allow: people must never get accounts in these namespaces. */
export const podSecurity = { 'pod-security.kubernetes.io/enforce': 'privileged' }

/** Amounts by the names that a ResourceQuota has for them. */
export type Quota = Readonly<Record<string, string>>

export type Projects = Pick<Engine, 'listProjects' | 'deleteProject'> & {
  /** Makes what is not there yet. Cheap once it was done. */
  ensureProject(projectId: string): Promise<void>
}

export function makeProjects(
  ground: Ground,
  { quota = {}, policies }: { quota?: Quota; policies: Pick<Policies, 'keep'> },
): Projects {
  const { client, mirror, names } = ground
  const ensured = new Map<string, Promise<void>>()

  const makeNamespace = (name: string, labels: Record<string, string>) =>
    client
      .create(kinds.namespaces, undefined, { kind: 'Namespace', metadata: { name, labels } })
      .then((made) => mirror.projects.observe(made))
      .catch(existsAlready)

  /** Without it KubeVirt refuses every copy of a boot image; it is bound to whatever account is in the namespace. */
  async function giveCloneRight(projectId: string): Promise<void> {
    const namespace = names.imagesNamespace
    await makeNamespace(namespace, names.labels('image', 'images', null))
    await makeOnce(ground, kinds.roles, namespace, {
      kind: 'Role',
      metadata: { name: names.cloneRight, labels: names.labels('image', 'images', null) },
      rules: [{ apiGroups: ['cdi.kubevirt.io'], resources: ['datavolumes/source'], verbs: ['create'] }],
    })
    await makeOnce(ground, kinds.roleBindings, namespace, {
      kind: 'RoleBinding',
      metadata: {
        name: names.cloneRightOf(projectId),
        labels: names.labels('project', projectId, projectId),
      },
      roleRef: { apiGroup: rbac, kind: 'Role', name: names.cloneRight },
      subjects: [
        { kind: 'Group', apiGroup: rbac, name: `system:serviceaccounts:${names.namespaceOf(projectId)}` },
      ],
    })
  }

  /** As the settings want it now: they may have been others when the project was made. */
  async function limit(namespace: string, labels: Record<string, string>): Promise<void> {
    const at = { namespace, name: 'project' }
    if (Object.keys(quota).length === 0) return removeOnce(ground, kinds.quotas, at)
    const { spec } = await makeOnce(ground, kinds.quotas, namespace, {
      kind: 'ResourceQuota',
      metadata: { name: at.name, labels },
      spec: { hard: { ...quota } },
    })
    if (isDeepStrictEqual(spec.hard, quota)) return
    await client.patch(kinds.quotas, at, [{ op: 'replace', path: '/spec/hard', value: quota }])
  }

  async function ensure(projectId: string): Promise<void> {
    const namespace = names.namespaceOf(projectId)
    if (mirror.projects.get(namespace)?.isGoing)
      throw new EngineError('project-busy', `${notMade} What was there before is still being removed.`, {
        retryable: true,
      })
    const labels = names.labels('project', projectId, projectId)
    await makeNamespace(namespace, { ...labels, ...podSecurity })
    await policies.keep(projectId)
    await limit(namespace, labels)
    await giveCloneRight(projectId)
  }

  // Somebody may remove a namespace by hand: it is made again when it is needed again.
  mirror.projects.onChange((_key, before, now) => {
    if (before && (!now || now.isGoing)) ensured.delete(before.projectId)
  })

  return {
    ensureProject(projectId) {
      const known = ensured.get(projectId)
      if (known !== undefined) return known
      const doing = inOurWords(notMade, () => ensure(projectId))
      ensured.set(projectId, doing)
      doing.catch(() => {
        if (ensured.get(projectId) === doing) ensured.delete(projectId)
      })
      return doing
    },

    async listProjects() {
      requireSight(ground)
      return mirror.projects
        .all()
        .filter(({ what, isGoing }) => what === 'project' && !isGoing)
        .map(({ projectId }) => projectId)
    },

    async deleteProject(projectId) {
      requireSight(ground)
      const kept = [mirror.machines, mirror.dataVolumes, mirror.machineSnapshots, mirror.volumeSnapshots]
      if (kept.some((some) => some.all().some((one) => one.projectId === projectId)))
        throw new EngineError('project-busy', 'Something of the project is left in the cluster.', {
          retryable: true,
        })
      ensured.delete(projectId)
      await inOurWords(notRemoved, async () => {
        const binding = { namespace: names.imagesNamespace, name: names.cloneRightOf(projectId) }
        await removeOnce(ground, kinds.roleBindings, binding)
        await removeOnce(ground, kinds.namespaces, { name: names.namespaceOf(projectId) })
      })
    },
  }
}

function existsAlready(error: unknown): void {
  if (!isKube(error, 'exists')) throw error
}
