import { suspendAllowed, type Vm } from '@slipway/contract'
import { useMay } from '../../api/access.ts'
import { errorText } from '../../api/errors.ts'
import { useLimits } from '../../api/host.ts'
import { useUpdateVm } from '../../api/vm-change.ts'
import { useKeepAwake } from '../../api/vm-unused.ts'
import { formatDateTime } from '../../time.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Ticking } from '../../ui/Elapsed.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Select } from '../../ui/Select.tsx'
import { toast } from '../../ui/toast.tsx'
import { choicesOf, never } from './unused-choices.ts'

/** When a VM is suspended because nobody uses it. */
export function VmUnused({ vm }: { vm: Vm }) {
  const limits = useLimits()
  const denied = useMay(vm.project_id)('vm.update')
  const able = suspendAllowed(limits)
  const allowed = able === true ? denied : able
  const { mutate, isPending } = useUpdateVm()
  const choose = (value: string) =>
    mutate(
      { vm, body: { suspend_after_minutes: value === never ? null : Number(value) } },
      {
        onSuccess: () => toast.success(value === never ? 'This VM is not suspended by itself.' : 'Saved.'),
        onError: (error) => toast.error(errorText(error, 'The change could not be saved.')),
      },
    )
  return (
    <section className="min-w-0" aria-labelledby="unused">
      <h2 id="unused" className="mb-2 text-section">
        When unused
      </h2>
      {allowed === true ? (
        <>
          <Select
            label="Suspend when unused"
            value={vm.suspend_after_minutes === null ? never : `${vm.suspend_after_minutes}`}
            onValueChange={choose}
            options={choicesOf(vm.suspend_after_minutes)}
            disabled={isPending}
          />
          <p className="mt-1.5 text-hint text-ink-3">
            Load, traffic, consoles, SSH by name and shared ports count as use. The next connection by name or
            to a shared port starts the VM again.
          </p>
        </>
      ) : (
        <p className="text-ink-2">{allowed}</p>
      )}
    </section>
  )
}

/** That a VM is about to be suspended; nothing while it is used. */
export function UnusedNote({ vm }: { vm: Vm }) {
  const may = useMay(vm.project_id)
  const { mutate, isPending } = useKeepAwake()
  if (!vm.suspends_at) return null
  const until = Date.parse(vm.suspends_at)
  return (
    <Banner
      tone="info"
      className="mb-4"
      action={
        <Button
          size="sm"
          busy={isPending}
          disabledReason={reasonOf(may('vm.keepAwake'))}
          onClick={() =>
            mutate(vm, {
              onError: (error) => toast.error(errorText(error, 'The VM could not be kept awake.')),
            })
          }
        >
          Keep awake
        </Button>
      }
    >
      Nobody uses this VM. It will be suspended at {formatDateTime(vm.suspends_at)}.{' '}
      <Ticking msAt={(now) => until - now} />
    </Banner>
  )
}
