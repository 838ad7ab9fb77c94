import type { ReactNode } from 'react'
import { Brand } from '../shell/Brand.tsx'
import { Footer } from './Footer.tsx'
import { OperatorNotice } from './OperatorNotice.tsx'
import { PrivacyNotice } from './PrivacyNotice.tsx'

/** The frame of a public page: a header with the logo, the page, the footer. */
export function PublicFrame({ actions, children }: { actions?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="mx-auto flex h-14 w-full max-w-310 items-center gap-2 px-4 md:h-16 md:px-8">
        <Brand className="text-[1.0625rem]" />
        <span className="flex-1" />
        {actions}
      </header>
      <main className="w-full flex-1">
        <div className="mx-auto max-w-310 px-4 md:px-8">
          <OperatorNotice />
        </div>
        {children}
      </main>
      <PrivacyNotice className="mx-4 mt-4 md:mr-auto" />
      <Footer />
    </div>
  )
}
