import { quotaOfVms, type VmCreate } from '@slipway/contract'
import { useEffect, useRef } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { useSearchParams } from 'react-router'
import { ApiError } from '../../api/client.ts'
import { useDisks } from '../../api/disks.ts'
import { fullErrorText } from '../../api/errors.ts'
import { useLimits } from '../../api/host.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { useSshKeys } from '../../api/ssh-keys.ts'
import { useTemplates } from '../../api/templates.ts'
import { useCreateVm } from '../../api/vm-lifetime.ts'
import { useDraft } from '../../shell/use-draft.ts'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { useQuotaCheck } from '../quota/use-quota-check.ts'
import { keyFor } from '../ssh-key/default-key.ts'
import { rootDiskBytes } from './root-disk.ts'
import { brokenPorts, emptyVmForm, firstBrokenRule, toBody, type VmForm } from './vm-form.ts'
import { sizeOf } from './vm-size.ts'

/** Why the server refused this start script; it knows more of templates and of YAML. */
const refusedScript = (error: unknown, sent: VmCreate | undefined, script: string): string | undefined =>
  error instanceof ApiError && sent?.start_script === script ? error.fields?.start_script : undefined

/**
 * The create form of a VM: what is typed and chosen, what is wrong with it, and its way to the server.
 *
 * @param failed the sentence where the server gives none
 */
export function useVmForm(failed: string) {
  const templateFromUrl = useSearchParams()[0].get('template') ?? ''
  const { project, projects, loading: projectsLoading, select } = useSelectedProject()
  const { templates } = useTemplates()
  const { sshKeys } = useSshKeys()
  const disks = useDisks(project?.id)
  const create = useCreateVm()
  const { ports: portLimit } = useLimits()

  // With its project: disks are those of that one.
  const { draft, keepDraft } = useDraft<{ form: VmForm; projectId: string | undefined }>()
  const { control, register, setValue, getValues, formState } = useForm<VmForm>({
    defaultValues: { ...emptyVmForm, templateId: templateFromUrl, ...draft?.form },
  })
  const typed = useWatch({ control }) as VmForm // all fields have default values

  // An unknown id, from the URL or from an old draft, is no choice.
  const template = templates.find(({ id }) => id === typed.templateId)
  const sshKey = keyFor(sshKeys, typed.sshKeyId)

  const available = disks.disks.filter(({ status }) => status.toLowerCase() === 'available')
  // Disks belong to a project: with another one the chosen ones mean nothing.
  const disksOf = useRef(draft?.projectId)
  useEffect(() => {
    if (!project || disksOf.current === project.id) return
    if (disksOf.current !== undefined) setValue('disks', [])
    disksOf.current = project.id
  }, [project, setValue])

  const form: VmForm = {
    ...typed,
    templateId: template?.id ?? '',
    sshKeyId: sshKey?.id ?? '',
    disks: typed.disks.map(({ diskId }) => ({
      diskId: available.some(({ id }) => id === diskId) ? diskId : '',
    })),
    ports: portLimit === null ? typed.ports : '',
  }
  const size = template && sizeOf(form, template)
  const quota = useQuotaCheck(project?.id, {
    ...quotaOfVms(1, {
      ...(size ?? { cpu: 1, memory_mb: 1 }),
      disk_bytes: rootDiskBytes(form.rootDisk, template?.image.root_disk_gb),
    }),
    shares: brokenPorts(form.ports) === undefined ? (toBody(form).share_ports?.length ?? 0) : 0,
  })

  const shell = useFormShell({
    dirty: draft !== null || formState.isDirty,
    send: (input: { projectId: string; body: VmCreate }, idempotencyKey) =>
      create.mutateAsync({ ...input, idempotencyKey }),
    failureText: (error) => fullErrorText(failed, error),
  })
  return {
    control,
    register,
    touched: formState.touchedFields,
    form,
    project,
    projects,
    projectsLoading,
    selectProject: select,
    template,
    sshKey,
    size,
    disks: { ...disks, available },
    portLimit,
    broken: firstBrokenRule(form, project?.id),
    quota,
    pending: shell.pending,
    error: shell.error,
    scriptRefusal: refusedScript(create.error, create.variables?.body, form.startScript),
    send: (projectId: string, outcome: Parameters<typeof shell.submit>[1]) =>
      shell.submit({ projectId, body: toBody(form) }, outcome),
    body: () => toBody(form),
    named: [...templates, ...sshKeys, ...disks.disks],
    /** Keeps the form while the user looks after projects, SSH keys and disks. */
    keep: () => keepDraft({ form: getValues(), projectId: project?.id }),
  }
}
