import { quotaOfCopies, quotaOfVmsWithDisks, type Vm } from '@slipway/contract'
import { type DefaultValues, useForm, useWatch } from 'react-hook-form'
import { useParams, useSearchParams } from 'react-router'
import { errorText } from '../../api/errors.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { useSshKeys } from '../../api/ssh-keys.ts'
import { useTemplates } from '../../api/templates.ts'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { useVms } from '../../api/vms.ts'
import { useDraft } from '../../shell/use-draft.ts'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { useQuotaCheck } from '../quota/use-quota-check.ts'
import { keyFor } from '../ssh-key/default-key.ts'
import { rootDiskBytes } from '../vm/root-disk.ts'
import { type BrokenRule, type GroupForm, memberSize } from './group-form.ts'

/** What pools and sets differ in, where their form is filled and sent. */
interface GroupFormOptions<Form extends GroupForm, Body> {
  empty: Form
  brokenRules: (form: Form, projectId: string | undefined) => BrokenRule[]
  toBody: (form: Form) => Body
  /** How many VMs there will be at first. */
  countOf: (form: Form) => number
  create: (creation: { projectId: string; body: Body; idempotencyKey: string }) => Promise<{ name: string }>
  /** The sentence where the server gives none. */
  failed: string
}

/** The VM of a snapshot, which VMs made of it are like, and the disks that they have copies of. */
function useSnapshot(
  projectId: string | undefined,
  snapshotId: string,
): { vm: Vm | undefined; disks: Vm['disks'] } {
  const { snapshots } = useVmSnapshots(projectId)
  const { vms } = useVms(projectId)
  const snapshot = snapshots.find(({ id }) => id === snapshotId)
  return { vm: vms.find(({ id }) => id === snapshot?.vm_id), disks: snapshot?.disks ?? [] }
}

/** The create form of a pool or a set: what is typed and chosen, what is wrong with it, and its way to the server. */
export function useGroupForm<Form extends GroupForm, Body>(options: GroupFormOptions<Form, Body>) {
  const { projectId = '' } = useParams()
  const [query] = useSearchParams()
  const fromUrl = { templateId: query.get('template') ?? '', snapshotId: query.get('snapshot') ?? '' }
  const { draft, keepDraft } = useDraft<Form>()
  const methods = useForm<Form>({
    // The compiler cannot see into an open type; a whole form is what its default values are.
    defaultValues: { ...options.empty, ...(draft ?? fromUrl) } as DefaultValues<Form>,
  })
  const typed = useWatch({ control: methods.control }) as Form // all fields have default values
  const { templates } = useTemplates()
  const { sshKeys } = useSshKeys()
  const { project } = useSelectedProject()

  // An unknown id, from the URL or from an old draft, is no choice.
  const template = templates.find(({ id }) => id === typed.templateId)
  const sshKey = keyFor(sshKeys, typed.sshKeyId)
  const form: Form = { ...typed, templateId: template?.id ?? '', sshKeyId: sshKey?.id ?? '' }

  const isOfSnapshot = form.snapshotId !== ''
  const snapshot = useSnapshot(isOfSnapshot ? project?.id : undefined, form.snapshotId)
  const disks = isOfSnapshot ? snapshot.disks : form.disks
  const size = template && memberSize(form, template, snapshot.vm)
  const typedCount = options.countOf(form)
  const count = Number.isInteger(typedCount) && typedCount > 0 ? typedCount : 1
  const quota = useQuotaCheck(
    project?.id,
    snapshot.vm
      ? quotaOfCopies(count, snapshot.vm, disks)
      : quotaOfVmsWithDisks(count, {
          ...(size ?? { cpu: 1, memory_mb: 1 }),
          root_bytes: rootDiskBytes(form.rootDisk, template?.image.root_disk_gb),
          disks,
        }),
  )

  const shell = useFormShell({
    dirty: draft !== null || methods.formState.isDirty,
    send: (input: { projectId: string; body: Body }, idempotencyKey) =>
      options.create({ ...input, idempotencyKey }),
    failureText: (error) => errorText(error, options.failed),
  })
  return {
    methods,
    form,
    template,
    size,
    disks,
    sshKey,
    project,
    projectId,
    quota,
    rules: options.brokenRules(form, project?.id),
    pending: shell.pending,
    error: shell.error,
    send: (outcome: Parameters<typeof shell.submit>[1]) =>
      shell.submit({ projectId, body: options.toBody(form) }, outcome),
    body: () => options.toBody(form),
    named: [...templates, ...sshKeys],
    keep: () => keepDraft(methods.getValues()),
  }
}
