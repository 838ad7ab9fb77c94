import { replicasAllowed, VmSetCreate, vmSetReplicas, vmSetTexts } from '@slipway/contract'
import {
  type BrokenRule,
  countVms,
  emptyGroupForm,
  type GroupForm,
  groupBody,
  inOrder,
} from '../vm-group/group-form.ts'

export interface VmSetForm extends GroupForm {
  replicas: number
}

export const emptyVmSetForm: VmSetForm = { ...emptyGroupForm, replicas: vmSetReplicas.default }

/** What is sent: exactly the fields of the call. */
export function toBody(form: VmSetForm) {
  return { ...groupBody(form), replicas: form.replicas } satisfies VmSetCreate
}

/** The rules that the form breaks, in the order they are told, with the sentences to show. */
export function brokenRules(form: VmSetForm, projectId: string | undefined): BrokenRule[] {
  const issues = VmSetCreate.safeParse(toBody(form)).error?.issues ?? []
  return inOrder(issues, projectId, vmSetTexts.projectMissing)
}

/** What such a set will do, in a sentence. */
export function scalingText({ replicas }: VmSetForm): string {
  if (replicasAllowed(replicas) !== true) return 'A set has 1 to 20 VMs.'
  return `Keeps ${countVms(replicas)}: a VM that fails is restarted or replaced, and a deleted VM is replaced.`
}
