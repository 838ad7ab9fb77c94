import { hasOlderVms, isRollOutUnderWay, rollOutTexts } from '@slipway/contract'
import { useRef } from 'react'
import { useMay } from '../../api/access.ts'
import { errorDetail } from '../../api/errors.ts'
import { type RollOutKind, useRollOut } from '../../api/roll-outs.ts'
import type { GroupParts } from '../../api/vm-groups.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { Button } from '../../ui/Button.tsx'
import { later } from '../../ui/later.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { toast } from '../../ui/toast.tsx'
import type { Group } from './group-kind.ts'
import { byRevision, settingsText } from './roll-out-words.ts'

const RollOutDialog = later(async () => (await import('./RollOutDialog.tsx')).RollOutDialog, {
  close: ({ onClose }: { onClose: () => unknown }) => onClose(),
})
const dialog = 'roll-out'

interface RollOutPanelProps {
  api: RollOutKind
  /** `The pool no longer exists.` */
  gone: string
  group: Group & GroupParts
}

/** Which settings the VMs of a pool or set have, and the roll-out of others. */
export function RollOutPanel({ api, gone, group }: RollOutPanelProps) {
  const may = useMay()
  const openDialog = useOpenDialog()
  const { resume, stop } = useRollOut(api, group)
  const begin = useRef<HTMLButtonElement>(null)
  const isPaused = group.roll_out.state === 'paused'
  const failed = (text: string) => (error: unknown) => toast.error(text, { detail: errorDetail(error) })
  const revisions = hasOlderVms(group) ? byRevision(group.roll_out, group.vms, group.revisions) : []
  return (
    <section id="roll-out" aria-labelledby="settings" className="sheet mb-4 scroll-mt-4 px-4 py-3">
      <h2 id="settings" className="text-section">
        Settings of the VMs
      </h2>
      <p role="status" className="mt-1 wrap-anywhere">
        {settingsText(group)}
      </p>
      {revisions.length > 0 && (
        <dl className="mt-2 grid gap-1 text-dense">
          {revisions.map(({ revision, names }) => (
            <div key={revision} className="flex flex-wrap gap-x-2">
              <dt className="text-ink-3">Revision {revision}</dt>
              <dd className="min-w-0 wrap-anywhere">{names.join(', ')}</dd>
            </div>
          ))}
        </dl>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        {isRollOutUnderWay(group) && (
          <>
            <Button
              size="sm"
              className="phone:h-10"
              busy={resume.isPending}
              busyText="Continuing..."
              disabledReason={
                reasonOf(may(`${api}.continueRollOut`)) ?? (isPaused ? undefined : rollOutTexts.notPaused)
              }
              onClick={() =>
                resume.mutate(undefined, { onError: failed('Failed to continue the roll-out.') })
              }
            >
              Continue Roll-Out
            </Button>
            <Button
              size="sm"
              className="phone:h-10"
              busy={stop.isPending}
              busyText="Stopping..."
              disabledReason={reasonOf(may(`${api}.stopRollOut`))}
              onClick={() =>
                stop.mutate(undefined, {
                  // The button is gone then.
                  onSuccess: () => begin.current?.focus(),
                  onError: failed('Failed to stop the roll-out.'),
                })
              }
            >
              Stop Roll-Out
            </Button>
          </>
        )}
        <Button
          ref={begin}
          size="sm"
          className="phone:h-10"
          disabledReason={
            reasonOf(may(`${api}.rollOut`)) ??
            (group.snapshot_id === null ? undefined : rollOutTexts.ofSnapshot)
          }
          onClick={() => openDialog(dialog, group.id)}
        >
          Roll Out Changes
        </Button>
      </div>
      <ObjectDialogs
        objects={[group]}
        loading={false}
        gone={gone}
        dialogs={{
          [dialog]: (one, close) => <RollOutDialog api={api} group={one} onClose={() => close()} />,
        }}
      />
    </section>
  )
}
