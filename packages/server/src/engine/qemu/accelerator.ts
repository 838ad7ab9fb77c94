export interface Accelerator {
  kind: 'KVM' | 'TCG'
  cpu: string
  reason: string
}

export async function probeAccelerator(): Promise<Accelerator> {
  return { kind: 'TCG', cpu: 'Nehalem', reason: 'KVM has not been looked for.' }
}
