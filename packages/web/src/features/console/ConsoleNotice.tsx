import type { Vm } from '@slipway/contract'
import { type ReactNode, type RefObject, useEffect } from 'react'
import { Link, useLocation } from 'react-router'
import { paths } from '../../paths.ts'
import type { SignInState } from '../../shell/sign-in-state.ts'
import { Button } from '../../ui/Button.tsx'
import { useVmActions } from '../vm/vm-actions.tsx'
import type { NoticeWords } from './console-words.ts'

interface ConsoleNoticeProps {
  notice: NoticeWords | null
  vm?: Vm | undefined
  onRetry: () => void
  /** The button that was pressed disappears with the notice. */
  onStart?: () => void
  /** Typing starts a suspended VM. */
  insteadOfTyping?: RefObject<(() => void) | null> | undefined
}

/** Why there is no console now, with what can be done about it. */
export function ConsoleNotice({ notice, vm, onRetry, onStart, insteadOfTyping }: ConsoleNoticeProps) {
  const { pathname } = useLocation()
  if (!notice) return null
  const from: SignInState = { from: pathname }
  return (
    <Notice text={notice.text}>
      {notice.action === 'start' && vm && (
        <StartButton vm={vm} onStart={onStart} insteadOfTyping={insteadOfTyping} />
      )}
      {notice.action === 'sign-in' && (
        <Button size="sm" render={<Link to={paths.signIn} state={from} />}>
          Sign In
        </Button>
      )}
      {notice.action === 'retry' && (
        <Button size="sm" onClick={onRetry}>
          Try Again
        </Button>
      )}
    </Notice>
  )
}

interface StartButtonProps extends Pick<ConsoleNoticeProps, 'insteadOfTyping'> {
  vm: Vm
  onStart: (() => void) | undefined
}

function StartButton({ vm, onStart, insteadOfTyping }: StartButtonProps) {
  const actions = useVmActions(vm)
  const { busy, run } = actions.power
  useEffect(() => {
    if (vm.status !== 'suspended' || !insteadOfTyping) return
    insteadOfTyping.current = () => {
      if (!busy) run()
    }
    return () => {
      insteadOfTyping.current = null
    }
  }, [insteadOfTyping, vm.status, busy, run])
  return (
    <Button
      size="sm"
      icon={actions.power.icon}
      busy={actions.power.busy}
      disabledReason={actions.power.disabledReason}
      onClick={() => {
        actions.power.run()
        onStart?.()
      }}
    >
      {actions.power.label}
    </Button>
  )
}

export function Notice({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div
      role="status"
      className="flex flex-none flex-wrap items-center gap-x-3 gap-y-2 border-t border-line bg-raised px-3.5 py-2 text-dense text-ink"
    >
      <p className="min-w-0 wrap-anywhere">{text}</p>
      {children}
    </div>
  )
}
