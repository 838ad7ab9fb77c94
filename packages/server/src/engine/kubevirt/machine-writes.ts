/**
 * Changing the objects of machines. While a gate is closed KubeVirt refuses each change of a machine that has what belongs
 * to the gate, even of its annotations: so every change takes that out, of machines that were made before as well.
 */
import type { Ground } from './ground.ts'
import { kinds, type VirtualMachine } from './kinds.ts'
import type { PatchStep } from './kube/kube-client.ts'
import type { At } from './kube/objects.ts'
import { hasGate } from './kubevirt-gates.ts'

type Spec = VirtualMachine['spec']

/** A merge patch: null removes what is there. */
interface MachineChange {
  metadata?: object
  spec?: {
    runStrategy?: Spec['runStrategy']
    template?: { spec: { domain?: object; [more: string]: unknown } }
  }
}

export function makeMachineWrites({ client, mirror }: Pick<Ground, 'client' | 'mirror'>) {
  /** Whether KubeVirt can end a run with a reboot. */
  const endsAtReboot = () => mirror.kubevirts.all().every((kubevirt) => hasGate(kubevirt, 'RebootPolicy'))

  return {
    endsAtReboot,

    /** What of a spec may be written now. */
    allowed(spec: Spec): Spec {
      if (endsAtReboot()) return spec
      const { rebootPolicy: _, ...domain } = spec.template.spec.domain
      return { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, domain } } }
    },

    async merge(at: At, change: MachineChange): Promise<void> {
      const wanted = endsAtReboot() ? change : withoutRebootPolicy(change)
      mirror.machines.observe(await client.merge(kinds.machines, at, wanted))
    },

    /** Changes just the version that was read; a conflict where there is a newer one. */
    patch({ metadata, spec }: VirtualMachine, steps: PatchStep[]): Promise<VirtualMachine> {
      const isRefused = spec.template.spec.domain.rebootPolicy !== undefined && !endsAtReboot()
      return client.patch(kinds.machines, metadata, [
        { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
        ...(isRefused ? [{ op: 'remove', path: '/spec/template/spec/domain/rebootPolicy' } as const] : []),
        ...steps,
      ])
    },
  }
}

function withoutRebootPolicy({ metadata, spec }: MachineChange): MachineChange {
  const inside = spec?.template?.spec
  const template = { spec: { ...inside, domain: { ...inside?.domain, rebootPolicy: null } } }
  return { ...(metadata && { metadata }), spec: { ...spec, template } }
}
