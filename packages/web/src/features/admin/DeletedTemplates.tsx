import { type BinTemplate, binDaysText, formatCpu, formatMemory } from '@slipway/contract'
import { RefreshCw } from 'lucide-react'
import { errorText } from '../../api/errors.ts'
import { useHost } from '../../api/host.ts'
import { useDeleteTemplateForGood, useTemplateBin } from '../../api/template-bin.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { Button } from '../../ui/Button.tsx'
import { Ledger } from '../../ui/Ledger.tsx'
import { DeletedRow, deletedColumns } from '../bin/DeletedRow.tsx'
import { ForGoodQuestion } from '../bin/ForGoodQuestion.tsx'
import { undoTemplate } from './tell-template-deleted.ts'

const { name, deleted, keptUntil, actions } = deletedColumns
const columns = [name, { label: 'Size of VMs', width: '9rem' }, deleted, keptUntil, actions]

/** By its name in the URL. */
const deleteForGood = 'delete-template-for-good'

/** The bin of templates, below those that are there. Nothing while it is empty. */
export function DeletedTemplates() {
  const { items, loading, error, refetch } = useTemplateBin()
  const days = useHost()?.bin_days
  if (loading || (items.length === 0 && !error)) return null
  return (
    <section aria-labelledby="deleted-templates" className="mt-8">
      <h2 id="deleted-templates" className="text-section">
        Deleted templates
      </h2>
      {error ? (
        <div className="mt-2 grid justify-items-start gap-2">
          <p className="text-dense text-ink-2">
            {errorText(error, 'The deleted templates could not be loaded.')}
          </p>
          <Button
            size="sm"
            icon={<RefreshCw size={16} strokeWidth={1.6} aria-hidden />}
            onClick={() => void refetch()}
          >
            Try Again
          </Button>
        </div>
      ) : (
        <>
          <p className="mt-1 mb-3 max-w-160 text-dense text-ink-2">
            {days ? `Kept for ${binDaysText(days)}. ` : ''}A restored template is offered again unless it was
            retired.
          </p>
          <Ledger
            label="Deleted templates"
            columns={columns}
            items={items}
            nameOf={({ name }) => name}
            row={(template) => <Row template={template} />}
          />
        </>
      )}
      <ObjectDialogs
        objects={items}
        loading={loading || error !== null}
        gone="The template was restored, or deleted for good."
        dialogs={{
          [deleteForGood]: (template, close) => <DeleteForGood template={template} onClose={() => close()} />,
        }}
      />
    </section>
  )
}

function Row({ template }: { template: BinTemplate }) {
  const openDialog = useOpenDialog()
  const { id, default_cpu, default_memory_mb, description, retired_at } = template
  return (
    <DeletedRow
      deleted={template}
      noun="template"
      status={`${formatCpu(default_cpu)}, ${formatMemory(default_memory_mb)}`}
      note={retired_at === null ? description : `Retired. ${description}`}
      restore={() => undoTemplate(template)}
      onDelete={() => openDialog(deleteForGood, id)}
    />
  )
}

/** Before a template in the bin is deleted for good. */
function DeleteForGood({ template, onClose }: { template: BinTemplate; onClose: () => void }) {
  const { mutateAsync } = useDeleteTemplateForGood()
  return (
    <ForGoodQuestion
      noun="template"
      name={template.name}
      along=""
      act={() => mutateAsync(template)}
      onClose={onClose}
    />
  )
}
