import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { makeNames } from '../engine/kubevirt/names.ts'
import { type Right, rights } from '../engine/kubevirt/rights.ts'
import { chartDir, documentsOf, leastValues, type Rendered, renderChart, textOf } from './chart.test-kit.ts'
import { brokenRules } from './pod-security.test-kit.ts'

/** Everything that can be set differently, so that no line of a template is left out. */
const fullValues = {
  ...leastValues,
  image: { repository: 'registry.example.com/slipway', tag: '1.2.3' },
  imagePullSecrets: [{ name: 'registry-login' }],
  trustedProxies: ['10.0.0.0/8', '10.1.2.3'],
  settings: { SLIPWAY_ADMINS: 'ada@example.com', SLIPWAY_ACTIVITY_DAYS: 30 },
  settingsSecretName: 'mail',
  service: { annotations: { a: 'b' } },
  ssh: { annotations: { a: 'b' }, host: 'ssh.example.com' },
  ingress: {
    enabled: true,
    className: 'nginx',
    host: 'vms.example.com',
    tlsSecretName: 'tls',
    annotations: { 'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600' },
  },
  recorder: { storageClass: 'fast' },
  networkPolicy: {
    consoleFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
    sshFrom: [{ ipBlock: { cidr: '10.0.0.0/8' } }],
  },
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'slipway', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
}
const without = { ...leastValues, ssh: { enabled: false }, networkPolicy: { enabled: false } }

const of = (all: Rendered[], kind: string, name?: string): Rendered => {
  const found = all.find((one) => one.kind === kind && (name === undefined || one.metadata.name === name))
  if (!found) throw new Error(`There is no ${kind} ${name ?? ''}`)
  return found
}
const podsOf = (all: Rendered[]) =>
  all.flatMap(({ kind, spec }) =>
    kind === 'Deployment' || kind === 'StatefulSet'
      ? [(spec as { template: { spec: Pod } }).template.spec]
      : [],
  )
interface Pod {
  terminationGracePeriodSeconds: number
  securityContext: object
  containers: {
    name: string
    image: string
    env: { name: string; value?: string; valueFrom?: object }[]
    securityContext: object
    volumeMounts: { mountPath: string }[]
    readinessProbe: { httpGet?: { path: string } }
    livenessProbe: { httpGet?: { path: string } }
    [more: string]: unknown
  }[]
}
const serverOf = (all: Rendered[]) => {
  const server = podsOf(all)
    .flatMap(({ containers }) => containers)
    .find(({ name }) => name === 'server')
  if (!server) throw new Error('There is no server')
  return server
}
const valueIn = (all: Rendered[], name: string) => serverOf(all).env.find((one) => one.name === name)?.value

const byKey = (all: Rendered[]) =>
  Object.fromEntries(
    all.map((one) => [`${one.kind} ${one.metadata.namespace ?? ''} ${one.metadata.name}`, one]),
  )

describe('the chart', () => {
  it('runs two servers and one recorder with the least that is set', () => {
    const all = renderChart(leastValues)
    expect(of(all, 'Deployment').spec).toMatchObject({ replicas: 2 })
    expect(of(all, 'StatefulSet').spec).toMatchObject({ replicas: 1 })
    expect(all.some(({ kind }) => kind === 'Ingress')).toBe(false)
    expect(serverOf(all).image).toBe(`registry.example.com/slipway:${parse(textOf('Chart.yaml')).appVersion}`)
    expect(valueIn(all, 'SLIPWAY_ENGINE')).toBe('kubevirt')
    expect(valueIn(all, 'SLIPWAY_RECORDER_URL')).toBe('http://slipway-recorder:7070')
    expect(serverOf(all).env.find(({ name }) => name === 'SLIPWAY_DATABASE_URL')?.valueFrom).toEqual({
      secretKeyRef: { name: 'slipway-database', key: 'url' },
    })
  })

  it('hands every value on to where it belongs', () => {
    const all = renderChart(fullValues)
    expect(serverOf(all).image).toBe('registry.example.com/slipway:1.2.3')
    expect(valueIn(all, 'SLIPWAY_TRUSTED_PROXIES')).toBe('10.0.0.0/8,10.1.2.3')
    expect(valueIn(all, 'SLIPWAY_ACTIVITY_DAYS')).toBe('30')
    expect(serverOf(all).envFrom).toEqual([{ secretRef: { name: 'mail' } }])
    expect(of(all, 'Ingress').spec).toMatchObject({
      ingressClassName: 'nginx',
      tls: [{ hosts: ['vms.example.com'], secretName: 'tls' }],
    })
    expect(of(all, 'NetworkPolicy', 'slipway').spec).toMatchObject({
      ingress: [{ from: fullValues.networkPolicy.consoleFrom }, { from: fullValues.networkPolicy.sshFrom }],
    })
    for (const pod of podsOf(all)) {
      const { nodeSelector, tolerations } = fullValues
      expect(pod).toMatchObject({ nodeSelector, tolerations })
    }
  })

  it('leaves SSH by name and network policies out when told to', () => {
    const all = renderChart(without)
    expect(valueIn(all, 'SLIPWAY_SSH_PORT')).toBe('off')
    expect(all.filter(({ kind }) => kind === 'NetworkPolicy')).toEqual([])
    expect(all.some(({ metadata }) => metadata.name === 'slipway-ssh')).toBe(false)
  })

  it('keeps two releases in one cluster apart', () => {
    const keys = (all: Rendered[]) => Object.keys(byKey(all))
    const one = keys(renderChart(leastValues))
    const other = keys(
      renderChart({ ...leastValues, kube: { prefix: 'other' } }, { name: 'other', namespace: 'elsewhere' }),
    )
    expect(one.filter((key) => other.includes(key))).toEqual([])
  })

  it('has pods that are the user of the image and have nothing to write but volumes', () => {
    const pods = podsOf(renderChart(leastValues))
    expect(pods).toHaveLength(2)
    for (const { securityContext, containers } of pods) {
      expect(securityContext).toMatchObject({ runAsUser: 10001 })
      for (const container of containers) {
        expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true })
        expect(container.volumeMounts.map(({ mountPath }) => mountPath).sort()).toEqual(['/data', '/tmp'])
      }
    }
  })

  it.each([leastValues, fullValues, without])('has pods that break no rule of "restricted"', (values) => {
    const pods = podsOf(renderChart(values))
    expect(pods).toHaveLength(2)
    expect(pods.flatMap(brokenRules)).toEqual([])
  })

  it.each<[string, object]>([
    ['a network of the host', { hostNetwork: true }],
    ['a volume of the host', { volumes: [{ name: 'host', hostPath: { path: '/' } }] }],
    ['a user who is root', { securityContext: { runAsUser: 0, runAsNonRoot: true } }],
    ['no profile of seccomp', { securityContext: { runAsNonRoot: true } }],
    ['a container with all capabilities', { containers: [{ name: 'bare' }] }],
    ['a port of the host', { containers: [{ name: 'bare', ports: [{ hostPort: 80 }] }] }],
  ])('would be told of %s', (_, change) => {
    const [pod] = podsOf(renderChart(leastValues))
    expect(brokenRules({ ...pod, ...change })).not.toEqual([])
  })

  it('takes out a server that cannot answer, and restarts only one that hangs', () => {
    const { readinessProbe, livenessProbe } = serverOf(renderChart(leastValues))
    expect(readinessProbe.httpGet?.path).toBe('/api/health')
    // Without its database a server is not ready, and a restart would not help.
    expect(livenessProbe.httpGet?.path).toBe('/')
  })

  it('selects with each service, policy and budget pods that there are', () => {
    const all = renderChart(leastValues)
    const labels = all.flatMap(({ spec }) => {
      const template = (spec as { template?: { metadata?: { labels?: object } } } | undefined)?.template
      return template?.metadata?.labels ? [template.metadata.labels] : []
    })
    const selectors = all.flatMap(({ kind, spec }) => {
      const { selector, podSelector } = (spec ?? {}) as Record<string, { matchLabels?: object } | undefined>
      const found = kind === 'NetworkPolicy' ? podSelector : selector
      return found ? [found.matchLabels ?? found] : []
    })
    expect(selectors.length).toBeGreaterThan(6)
    for (const selector of selectors) expect(labels).toContainEqual(expect.objectContaining(selector))
  })

  it('grants the servers just the rights that the engine lists', () => {
    const all = renderChart(leastValues)
    const pairs = (rules: readonly Pick<Right, 'group' | 'resources' | 'verbs'>[]) =>
      rules
        .flatMap(({ group, resources, verbs }) =>
          resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource} of "${group}"`)),
        )
        .sort()
    const granted = (role: Rendered) =>
      pairs(
        (role.rules as { apiGroups: string[]; resources: string[]; verbs: string[] }[]).flatMap((rule) =>
          rule.apiGroups.map((group) => ({ ...rule, group })),
        ),
      )
    const everywhere = granted(of(all, 'ClusterRole', 'slipway-slipway'))
    expect(everywhere).toEqual(pairs(rights.filter(({ only }) => only === undefined)))
    expect(granted(of(all, 'Role'))).toEqual(pairs(rights.filter(({ only }) => only === 'images')))
    const ofRecorder = granted(of(all, 'ClusterRole', 'slipway-slipway-recorder'))
    expect(everywhere).toEqual(expect.arrayContaining(ofRecorder))
    // A console is opened by `get`; besides, the recorder only looks.
    expect(ofRecorder.filter((one) => !/^(get|list|watch) /.test(one))).toEqual([])
  })

  it('lets the servers write into namespaces with the label of their installation only', () => {
    const all = renderChart({ ...leastValues, kube: { prefix: 'vms' } })
    const policy = JSON.stringify(of(all, 'ValidatingAdmissionPolicy').spec)
    expect(policy).toContain('system:serviceaccount:slipway:slipway')
    expect(policy).toContain(String.raw`[\"slipway.org/installation\"] == \"vms\"`)
    expect(of(all, 'ValidatingAdmissionPolicyBinding').spec).toEqual({
      policyName: of(all, 'ValidatingAdmissionPolicy').metadata.name,
      validationActions: ['Deny'],
    })
    // Boot images are kept in one of them.
    expect(of(all, 'Namespace').metadata.labels).toEqual(makeNames('vms').labels('image', 'images', null))
  })

  it.each<[string, object]>([
    ['no image', { publicUrl: 'https://vms.example.com' }],
    ['no public URL', { image: leastValues.image }],
    ['no server at all', { ...leastValues, replicas: 0 }],
    ['a value that does not exist', { ...leastValues, replica: 3 }],
    ['a setting that is none of ours', { ...leastValues, settings: { PATH: '/' } }],
    ['a prefix that cannot begin a namespace', { ...leastValues, kube: { prefix: 'Not-One' } }],
    ['an ingress without a host', { ...leastValues, ingress: { enabled: true } }],
  ])('refuses %s', (_, values) => {
    expect(() => renderChart(values)).toThrow()
  })

  it('says in values.yaml of each value what it is', () => {
    const lines = textOf('values.yaml').split('\n')
    const silent = lines.filter(
      (line, i) =>
        /^( {2})?[a-z]\w*:/i.test(line) && !lines[i - 1]?.trim().startsWith('#') && !/^ {4}/.test(line),
    )
    expect(silent).toEqual([])
  })
})

const hasHelm = spawnSync('helm', ['version']).status === 0
if (!hasHelm) console.log('SKIPPED: "the chart in Helm", because helm is not installed')

describe.skipIf(!hasHelm)('the chart in Helm', () => {
  const run = (command: string[], all: object) => {
    const options = { encoding: 'utf8', input: JSON.stringify(all) } as const
    const { status, stdout, stderr } = spawnSync('helm', [...command, '--values', '-'], options)
    return { status, stdout, said: `${stdout}${stderr}` }
  }

  it.each([leastValues, fullValues, without])('passes helm lint, strictly', (all) => {
    const { status, said } = run(['lint', '--strict', chartDir], all)
    expect(said).toContain('0 chart(s) failed')
    expect(status).toBe(0)
  })

  it.each([leastValues, fullValues, without])('is what helm template makes of it', (all) => {
    const where = ['--namespace=slipway', '--kube-version=1.36.0']
    const { status, stdout, said } = run(['template', 'slipway', chartDir, ...where], all)
    expect(status, said).toBe(0)
    expect(byKey(documentsOf(stdout))).toEqual(byKey(renderChart(all)))
  })

  it('is refused by helm template with values that the schema does not allow', () => {
    expect(run(['template', 'slipway', chartDir], { ...leastValues, replica: 3 }).status).not.toBe(0)
  })
})
