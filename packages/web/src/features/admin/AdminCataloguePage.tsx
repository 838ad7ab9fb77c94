import { type CatalogueTemplate, mayChangeTemplate, mayDeleteTemplate } from '@slipway/contract'
import { useState } from 'react'
import { Link } from 'react-router'
import { useCatalogue, useTemplateAct } from '../../api/admin.ts'
import { errorText } from '../../api/errors.ts'
import { useHost } from '../../api/host.ts'
import { paths } from '../../paths.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { pageHeading } from '../../ui/return-focus.ts'
import { BinChoice } from '../bin/BinChoice.tsx'
import { templateFacts } from '../template/template-facts.ts'
import { DeletedTemplates } from './DeletedTemplates.tsx'
import { EditTemplateDialog } from './EditTemplateDialog.tsx'
import { tellTemplateDeleted } from './tell-template-deleted.ts'

type Act = 'retire' | 'offer' | 'delete'
type Asked = { template: CatalogueTemplate; what: Act | 'edit' }

export function Component() {
  const { data: templates = [], isPending, error, refetch } = useCatalogue()
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = () => setAsked(null)
  return (
    <>
      <PageHeader
        title="Catalogue"
        description="The templates that everybody creates VMs from. One that is retired is not offered any more; its VMs go on."
        actions={
          <Button variant="primary" render={<Link to={paths.adminTemplates} />}>
            Create Template
          </Button>
        }
      />
      {isPending && <LoadingState text="Loading templates..." outline="rows" />}
      {error && (
        <ErrorState
          title="Error Loading Templates"
          message={errorText(error, 'Failed to load templates. Please try again.')}
          onRetry={() => void refetch()}
        />
      )}
      {!isPending && !error && templates.length === 0 && (
        <EmptyState title="No templates">Nobody can create a VM before there is a template.</EmptyState>
      )}
      {templates.length > 0 && !error && (
        <ul className="sheet divide-y divide-line">
          {templates.map((template) => (
            <TemplateRow
              key={template.id}
              template={template}
              onAsk={(what) => setAsked({ template, what })}
            />
          ))}
        </ul>
      )}
      <DeletedTemplates />
      {asked?.what === 'edit' && <EditTemplateDialog template={asked.template} onClose={close} />}
      {asked && asked.what !== 'edit' && (
        <Question key={asked.what} template={asked.template} what={asked.what} onClose={close} />
      )}
    </>
  )
}

const usesText = ({ vms, groups }: CatalogueTemplate): string =>
  `${vms} ${vms === 1 ? 'VM' : 'VMs'}, ${groups} ${groups === 1 ? 'pool or set' : 'pools and sets'}`

function TemplateRow({
  template,
  onAsk,
}: {
  template: CatalogueTemplate
  onAsk: (what: Asked['what']) => void
}) {
  const { name, description, retired_at, built_in } = template
  const action = (what: Asked['what'], label: string, disabledReason?: string) => (
    <Button
      size="sm"
      className="phone:h-10"
      aria-haspopup="dialog"
      aria-label={`${label} ${name}`}
      disabledReason={disabledReason}
      onClick={() => onAsk(what)}
    >
      {label}
    </Button>
  )
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-[1_1_20rem]">
        <h2 className="text-body font-[550] wrap-anywhere">
          <bdi>{name}</bdi>
          {retired_at !== null && <span className="ml-2 text-hint font-normal text-ink-2">Retired</span>}
          {built_in && <span className="ml-2 text-hint font-normal text-ink-3">Built-in</span>}
        </h2>
        <p className="line-clamp-2 text-dense wrap-anywhere text-ink-2">
          <bdi>{description}</bdi>
        </p>
        <p className="text-hint text-ink-2">
          {templateFacts(template)}. Used by {usesText(template)}.
          {retired_at !== null && ` Retired ${formatDateTime(retired_at)}.`}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {action('edit', 'Edit', reasonOf(mayChangeTemplate(template)))}
        {retired_at === null ? action('retire', 'Retire') : action('offer', 'Offer again')}
        {action('delete', 'Delete', reasonOf(mayDeleteTemplate(template)))}
      </div>
    </li>
  )
}

const words: Record<Act, { title: string; label: string; busy: string; done: string; text: string }> = {
  retire: {
    title: 'Retire template',
    label: 'Retire template',
    busy: 'Retiring...',
    done: 'The template is retired',
    text: 'Nobody can create VMs from it any more. VMs, pools and sets that exist go on.',
  },
  offer: {
    title: 'Offer template again',
    label: 'Offer template',
    busy: 'Offering...',
    done: 'The template is offered again',
    text: 'Everybody can create VMs from it again.',
  },
  delete: {
    title: 'Delete template',
    label: 'Delete template',
    busy: 'Deleting...',
    done: 'The template was deleted',
    text: 'Nothing uses it.',
  },
}

function Question({
  template,
  what,
  onClose,
}: {
  template: CatalogueTemplate
  what: Act
  onClose: () => void
}) {
  const { mutateAsync } = useTemplateAct(what)
  const { title, label, busy, done, text } = words[what]
  const days = useHost()?.bin_days ?? 0
  const [forGood, setForGood] = useState(false)
  const deletes = what === 'delete'
  const confirm = useConfirmedAct({
    act: () => mutateAsync({ templateId: template.id, forGood }),
    done: deletes ? undefined : done,
    failed: `${title}: this did not work.`,
    onDone() {
      onClose()
      if (deletes) void tellTemplateDeleted(template, done, forGood)
    },
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={title}
      confirmLabel={label}
      busyLabel={busy}
      // The button that opened the dialog is another one now, or gone.
      focusAfter={pageHeading}
      choice={deletes && <BinChoice kind="template" goesToBin forGood={forGood} onChange={setForGood} />}
      {...confirm}
    >
      <p>
        <b>
          <bdi>{template.name}</bdi>
        </b>
      </p>
      <p className="mt-2">
        {text}
        {deletes && days === 0 && ' It cannot be brought back.'}
      </p>
    </ConfirmDialog>
  )
}
