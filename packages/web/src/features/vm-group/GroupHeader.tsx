import { Pencil, RefreshCw, Trash2 } from 'lucide-react'
import type { Ref } from 'react'
import { useState } from 'react'
import { useMay } from '../../api/access.ts'
import { BackLink } from '../../shell/BackLink.tsx'
import { Button } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { toast } from '../../ui/toast.tsx'
import type { GroupCalls } from './group-kind.ts'

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

interface GroupHeaderProps {
  calls: GroupCalls
  group: { name: string; description: string }
  list: { path: string; back: string }
  /** Asks again for all that the page shows; false when that failed. */
  refresh: () => Promise<boolean>
  /** Of a refresh. */
  failed: string
  editing: boolean
  onEdit: () => void
  editRef: Ref<HTMLButtonElement>
  onDelete: () => void
}

/** The head of the page of a pool or set, with what can be done to it. */
export function GroupHeader({
  calls,
  group: { name, description },
  list,
  refresh,
  failed,
  editing,
  onEdit,
  editRef,
  onDelete,
}: GroupHeaderProps) {
  const may = useMay()
  const [refreshing, setRefreshing] = useState(false)
  const run = async () => {
    setRefreshing(true)
    if (!(await refresh())) toast.error(failed)
    setRefreshing(false)
  }
  return (
    <>
      <BackLink to={list.path}>{list.back}</BackLink>
      <PageHeader
        title={name}
        description={description && <bdi className="wrap-anywhere">{description}</bdi>}
        actions={
          <>
            <Button
              icon={<RefreshCw {...icon} />}
              busy={refreshing}
              busyText="Refreshing..."
              onClick={() => void run()}
            >
              Refresh
            </Button>
            <Button
              ref={editRef}
              icon={<Pencil {...icon} />}
              disabledReason={
                reasonOf(may(calls.update)) ?? (editing ? 'It is being edited below.' : undefined)
              }
              onClick={onEdit}
            >
              Edit
            </Button>
            <Button
              icon={<Trash2 {...icon} />}
              disabledReason={reasonOf(may(calls.delete))}
              onClick={onDelete}
            >
              Delete
            </Button>
          </>
        }
      />
    </>
  )
}
