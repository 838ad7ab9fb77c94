import { type DefaultValues, useForm, useWatch } from 'react-hook-form'
import { useSearchParams } from 'react-router'
import { useSelectedProject } from '../../api/projects.ts'
import { useSshKeys } from '../../api/ssh-keys.ts'
import { useTemplates } from '../../api/templates.ts'
import { useDraft } from '../../shell/use-draft.ts'
import type { GroupForm } from './group-form.ts'

/** The create form of a pool or a set: what is typed, and what is chosen with it. */
export function useGroupForm<Form extends GroupForm>(empty: Form) {
  const templateFromUrl = useSearchParams()[0].get('template') ?? ''
  const { draft, keepDraft } = useDraft<Form>()
  const methods = useForm<Form>({
    // The compiler cannot see into an open type; a whole form is what its default values are.
    defaultValues: (draft ?? { ...empty, templateId: templateFromUrl }) as DefaultValues<Form>,
  })
  const typed = useWatch({ control: methods.control }) as Form // all fields have default values
  const { templates } = useTemplates()
  const { sshKeys } = useSshKeys()
  const { project } = useSelectedProject()

  // An unknown id, from the URL or from an old draft, is no choice.
  const template = templates.find(({ id }) => id === typed.templateId)
  const sshKey = sshKeys.find(({ id }) => id === typed.sshKeyId)
  const form: Form = { ...typed, templateId: template?.id ?? '', sshKeyId: sshKey?.id ?? '' }
  return { methods, form, template, sshKey, project, keep: () => keepDraft(methods.getValues()) }
}
