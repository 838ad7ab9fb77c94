export const vmSetTexts = {
  nameMissing: 'Please enter a VM Set name.',
  projectMissing: 'Please select a project.',
  sshKeyMissing: 'Please select an SSH key for secure access.',
  templateMissing: 'Please select a template.',
  tooFew: 'Number of replicas must be at least 1',
  tooMany: 'Number of replicas cannot be greater than 20',
  inUse: 'A VM of this VM Set is in use by a snapshot or restore. Please try again later.',
  hasProtected: 'A VM of this VM Set is protected against deletion. Turn its protection off first.',
} as const

/** The words the server sends. */
export const vmSetStatuses = ['creating', 'active', 'error'] as const

export const vmSetReplicas = { min: 1, max: 20, default: 2 } as const

/** `true`, or the sentence that says what is wrong with the number of replicas. */
export function replicasAllowed(replicas: number): true | string {
  if (!Number.isInteger(replicas) || replicas < vmSetReplicas.min) return vmSetTexts.tooFew
  return replicas <= vmSetReplicas.max || vmSetTexts.tooMany
}

/** Whether the status will change by itself. */
export const isSetUnderWay = ({ status }: { status: string }): boolean => status.toLowerCase() === 'creating'
