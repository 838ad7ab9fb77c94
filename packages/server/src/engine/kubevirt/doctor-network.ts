/** Whether anything keeps projects apart: the API takes policies also where nothing enforces them. For the doctor. */

import { type Finding, good, note } from '../../lib/finding.ts'
import { type Examined, patienceMs, reasonOf } from './finding.ts'

/** Network plug-ins that enforce policies, by an API group that each of them brings. */
const plugIns: Record<string, string> = {
  'crd.projectcalico.org': 'Calico',
  'projectcalico.org': 'Calico',
  'cilium.io': 'Cilium',
  'crd.antrea.io': 'Antrea',
  'k8s.ovn.org': 'OVN-Kubernetes',
  'kubeovn.io': 'Kube-OVN',
  'networking.k8s.aws': 'the VPC CNI of AWS',
}

const name = 'network policies'
const help =
  'check that the network plug-in enforces NetworkPolicy: without it VMs reach other projects and private networks'

export async function examineNetwork({ client }: Examined): Promise<Finding> {
  try {
    const answer: { groups?: { name: string }[] } = JSON.parse(
      await client.text('/apis', { deadlineMs: patienceMs }),
    )
    const found = new Set((answer.groups ?? []).flatMap((group) => plugIns[group.name] ?? []))
    if (found.size > 0) return good(name, `${[...found].join(' and ')}: enforced unless it is told otherwise`)
    return note(name, 'none of the network plug-ins known to enforce them was found', help)
  } catch (error) {
    return note(name, `the API groups cannot be read: ${reasonOf(error)}`, help)
  }
}
