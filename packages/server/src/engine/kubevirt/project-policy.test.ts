import { BlockList } from 'node:net'
import { describe, expect, it, test } from 'vitest'
import { policySpec, type Reach } from './project-policy.ts'

const guests = { matchLabels: { 'kubevirt.io': 'virt-launcher' } }
const own = { podSelector: {} }
const all: Reach[] = ['project', 'internet', 'anywhere']

test.each(all)('guests that reach %s are reached from their own project, and by virt-api', (reach) => {
  const { podSelector, policyTypes, ingress } = policySpec(reach, 'kubevirt-system')
  expect(podSelector).toEqual(guests)
  expect(policyTypes).toContain('Ingress')
  const virtApi = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kubevirt-system' } },
    podSelector: { matchLabels: { 'kubevirt.io': 'virt-api' } },
  }
  expect(ingress).toEqual([{ from: [own, virtApi] }])
})

test('without networks nothing is said about what guests reach', () => {
  const { policyTypes, egress } = policySpec('anywhere', 'kubevirt')
  expect(policyTypes).toEqual(['Ingress'])
  expect(egress).toBeUndefined()
})

describe('what guests reach', () => {
  const egressOf = (reach: Reach) => {
    const { policyTypes, egress } = policySpec(reach, 'kubevirt')
    expect(policyTypes).toContain('Egress')
    return egress as { to: { ipBlock?: { cidr: string; except: string[] } }[]; ports?: object[] }[]
  }

  it('is their own project and name servers, without the Internet', () => {
    const [first, dns, ...more] = egressOf('project')
    expect(first).toEqual({ to: [own] })
    expect(more).toEqual([])
    expect(dns?.to).toEqual([
      {
        namespaceSelector: {
          matchExpressions: [
            {
              key: 'kubernetes.io/metadata.name',
              operator: 'In',
              values: ['kube-system', 'openshift-dns'],
            },
          ],
        },
      },
      { ipBlock: { cidr: '169.254.20.10/32' } },
    ])
    expect(dns?.ports).toEqual([
      { protocol: 'UDP', port: 53 },
      { protocol: 'TCP', port: 53 },
      { protocol: 'UDP', port: 5353 },
      { protocol: 'TCP', port: 5353 },
    ])
  })

  it('is the Internet as well, and nothing else', () => {
    const [first, ...more] = egressOf('internet')
    expect(more).toEqual(egressOf('project').slice(1))
    const [inside, internet, ...others] = first?.to ?? []
    expect([inside, others, first?.ports]).toEqual([own, [], undefined])
    expect(internet?.ipBlock?.cidr).toBe('0.0.0.0/0')
    const kept = new BlockList()
    for (const range of internet?.ipBlock?.except ?? []) {
      const [base = '', bits] = range.split('/')
      kept.addSubnet(base, Number(bits), 'ipv4')
    }
    const inner = ['10.96.0.1', '172.31.0.9', '192.168.1.1', '100.64.0.1', '169.254.169.254', '127.0.0.1']
    expect(inner.filter((address) => !kept.check(address))).toEqual([])
    const outer = ['1.1.1.1', '172.32.0.1', '193.0.0.1', '100.128.0.1', '11.0.0.1']
    expect(outer.filter((address) => kept.check(address))).toEqual([])
  })
})
