import { Menu as MenuIcon } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { useSession } from '../api/session.ts'
import { Brand } from '../shell/Brand.tsx'
import { IconButton } from '../ui/Button.tsx'
import { ConnectionLine } from './ConnectionLine.tsx'
import { EngineBanner } from './EngineBanner.tsx'
import { FindIconButton } from './FindButton.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'
import { PaletteHost } from './PaletteHost.tsx'
import { PrivacyNotice } from './PrivacyNotice.tsx'
import { ProjectDialogs } from './ProjectDialogs.tsx'
import { ProofHost } from './ProofHost.tsx'
import { RareNotes } from './RareNotes.tsx'
import { Sidebar } from './Sidebar.tsx'
import { UserMenu } from './UserMenu.tsx'

const Drawer = lazy(async () => ({ default: (await import('./Drawer.tsx')).Drawer }))

/** The console's frame: sidebar and page; on phones a top bar and a drawer. */
export function AppFrame({ children }: { children: ReactNode }) {
  const { state } = useSession()
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[228px_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only z-40 rounded-control bg-raised px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <aside aria-label="Sidebar" className="sticky top-0 hidden h-dvh border-r border-line md:block">
        <Sidebar />
      </aside>
      <div className="flex min-h-dvh min-w-0 flex-col">
        <TopBar />
        <main
          id="main"
          tabIndex={-1}
          className="w-full max-w-423 min-w-0 flex-1 px-4 pt-4 pb-12 outline-none md:px-9 md:pt-6.5 md:pb-16"
        >
          <div className="page-lines">
            <LeaveGuard />
            <ConnectionLine />
          </div>
          <EngineBanner />
          <RareNotes />
          {children}
        </main>
        <PrivacyNotice className="mx-4 mb-4 md:mr-auto md:ml-9" />
      </div>
      {state === 'in' && (
        <>
          <ProjectDialogs />
          <PaletteHost />
          <ProofHost />
        </>
      )}
    </div>
  )
}

function TopBar() {
  const { user } = useSession()
  const [open, setOpen] = useState(false)
  const [wasOpen, setWasOpen] = useState(false)
  const { key } = useLocation()
  // Choosing a page closes the drawer, even when it is the current page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the navigation is the reason, not an input.
  useEffect(() => setOpen(false), [key])
  return (
    <header className="top-0 z-20 flex h-13 items-center gap-2 border-b border-line bg-ground pr-2 pl-1 md:hidden tall:sticky">
      <IconButton
        label="Open menu"
        icon={<MenuIcon size={20} strokeWidth={1.6} />}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => {
          setWasOpen(true)
          setOpen(true)
        }}
        className="size-11!"
      />
      {wasOpen && (
        <Suspense fallback={null}>
          <Drawer open={open} onOpenChange={setOpen} />
        </Suspense>
      )}
      <Brand className="text-card" />
      <span className="flex-1" />
      {user && (
        <>
          <FindIconButton />
          <UserMenu user={user} compact />
        </>
      )}
    </header>
  )
}
