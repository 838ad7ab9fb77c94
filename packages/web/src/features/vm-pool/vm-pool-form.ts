import { poolSizesAllowed, VmPoolCreate, vmPoolDefaults, vmPoolTexts } from '@slipway/contract'
import {
  type BrokenRule,
  countVms,
  emptyGroupForm,
  type GroupForm,
  groupBody,
  inOrder,
} from '../vm-group/group-form.ts'

export interface VmPoolForm extends GroupForm {
  minSize: number
  desiredSize: number
  maxSize: number
  autoScaling: boolean
}

export const emptyVmPoolForm: VmPoolForm = {
  ...emptyGroupForm,
  minSize: vmPoolDefaults.min_size,
  desiredSize: vmPoolDefaults.desired_size,
  maxSize: vmPoolDefaults.max_size,
  persistent: vmPoolDefaults.persistent,
  autoScaling: vmPoolDefaults.auto_scaling,
}

/** What is sent: exactly the fields of the call. */
export function toBody(form: VmPoolForm) {
  return {
    ...groupBody(form),
    min_size: form.minSize,
    max_size: form.maxSize,
    desired_size: form.desiredSize,
    auto_scaling: form.autoScaling,
  } satisfies VmPoolCreate
}

/** The rules that the form breaks, in the order they are told, with the sentences to show. */
export function brokenRules(form: VmPoolForm, projectId: string | undefined): BrokenRule[] {
  const issues = VmPoolCreate.safeParse(toBody(form)).error?.issues ?? []
  return inOrder(issues, projectId, vmPoolTexts.projectMissing)
}

/** Whether the sizes can be those of a pool. */
export function sizesFit(form: VmPoolForm): boolean {
  const { min_size, desired_size, max_size } = toBody(form)
  const whole = [min_size, desired_size, max_size].every((size) => Number.isInteger(size) && size >= 0)
  return whole && poolSizesAllowed({ min_size, desired_size, max_size }) === true
}

/** What such a pool will do, in a sentence. */
export function scalingText(form: VmPoolForm): string {
  if (!sizesFit(form)) return 'These sizes cannot be combined.'
  const start = `Starts with ${countVms(form.desiredSize)}`
  // A pool never wants fewer than one VM.
  const least = Math.max(1, form.minSize)
  if (!form.autoScaling) return `${start} and keeps that number until you change it.`
  if (least === form.maxSize) return `${start} and does not scale: minimum and maximum are the same.`
  return `${start} and scales automatically between ${least} and ${form.maxSize}.`
}
