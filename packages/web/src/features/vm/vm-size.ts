/** The processors and the memory of new VMs as they are typed. */
import { type Template, type Vm, VmCreate } from '@slipway/contract'

/** Empty: as the template has it. */
export interface SizeDraft {
  cpu: string
  memoryMb: string
}

export type VmSize = Pick<Vm, 'cpu' | 'memory_mb'>

export const emptySize: SizeDraft = { cpu: '', memoryMb: '' }

/** `NaN` for what is no whole number, which the contract refuses. */
export const numberIn = (text: string): number => (/^\d+$/.test(text.trim()) ? Number(text) : Number.NaN)

/** What a new VM, or each of several, sends of it; nothing where the template decides. */
export const sizeBody = ({ cpu, memoryMb }: SizeDraft): { cpu?: number; memory_mb?: number } => ({
  ...(cpu.trim() !== '' && { cpu: numberIn(cpu) }),
  ...(memoryMb.trim() !== '' && { memory_mb: numberIn(memoryMb) }),
})

/** What is wrong with a number as it is typed; undefined when it can be sent, or there is none. */
export const brokenSize = (field: keyof VmSize, text: string): string | undefined =>
  text.trim() === '' ? undefined : VmCreate.shape[field].safeParse(numberIn(text)).error?.issues[0]?.message

/** What a VM of a template will have: what is chosen, and the rest, or what is wrong, as the template has it. */
export function sizeOf(
  { cpu, memoryMb }: SizeDraft,
  template: Pick<Template, 'default_cpu' | 'default_memory_mb'>,
): VmSize {
  const chosen = (field: keyof VmSize, text: string, otherwise: number) =>
    text.trim() === '' || brokenSize(field, text) !== undefined ? otherwise : numberIn(text)
  return {
    cpu: chosen('cpu', cpu, template.default_cpu),
    memory_mb: chosen('memory_mb', memoryMb, template.default_memory_mb),
  }
}
